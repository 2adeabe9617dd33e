/// An object that emits steps: RxFlow's Stepper. It can be a view model, a service, or a screen or flow itself.
///
/// A stepper knows what happens, and not where that leads. The flow decides that in ``Flow/navigate(to:)``.
@FlowActor
public protocol Stepper: AnyObject, Sendable {
    /// The steps of the stepper. Emit one with `steps.accept(DemoStep.moviePicked(withMovieId: 23))`.
    var steps: PublishRelay<any Step> { get }

    /// The step that is emitted when the stepper's flow or screen begins. The default is ``NoneStep``.
    ///
    /// A flow takes it immediately. For a screen, it waits until the screen is presented for the first time, unless the
    /// screen was contributed with `allowStepWhenNotPresented` (S-16).
    var initialStep: any Step { get }

    /// Called once for each contribution of the stepper, when its steps are subscribed to. The default implementation
    /// does nothing.
    func readyToEmitSteps()
}

extension Stepper {
    /// ``NoneStep``.
    public var initialStep: any Step { NoneStep() }

    /// Does nothing.
    public func readyToEmitSteps() {}
}

/// A stepper that emits one step, when its flow or screen begins: RxFlow's OneStepper.
public final class OneStepper: Stepper {
    /// Further steps. The stepper emits none by itself.
    public let steps = PublishRelay<any Step>()
    /// The step.
    public let initialStep: any Step

    /// Creates a stepper for a step.
    ///
    /// - Parameter step: the step.
    public init(withSingleStep step: any Step) { initialStep = step }
}

/// A stepper that emits ``RxFlowStep/home`` when its flow begins: RxFlow's DefaultStepper.
public final class DefaultStepper: Stepper {
    /// Further steps. The stepper emits none by itself.
    public let steps = PublishRelay<any Step>()
    /// ``RxFlowStep/home``. The flow has to list ``RxFlowStep`` in its ``Flow/steps``.
    public var initialStep: any Step { RxFlowStep.home }

    /// Creates a stepper for ``RxFlowStep/home``.
    public init() {}
}

/// A stepper that emits no steps, for a flow or screen whose steps are emitted elsewhere. RxFlow has it internally.
public final class NoneStepper: Stepper {
    /// Further steps. The stepper emits none by itself.
    public let steps = PublishRelay<any Step>()

    /// Creates a stepper without steps.
    public init() {}
}

/// A stepper that combines several steppers: RxFlow's CompositeStepper.
///
/// Its ``steps`` have the initial steps of the combined steppers with them, as in RxFlow, so that a stepper which wraps it has only to
/// forward ``steps`` and ``readyToEmitSteps()``.
public final class CompositeStepper: Stepper {
    /// The steps of all combined steppers, and steps that are accepted here directly.
    public let steps = PublishRelay<any Step>()
    let steppers: [any Stepper]
    private var subscriptions: [Subscription] = []

    /// Creates a stepper that combines others. Their initial steps are emitted in this order, each after the one before
    /// was taken.
    ///
    /// - Parameter steppers: the steppers to combine.
    public init(steppers: [any Stepper]) {
        self.steppers = steppers
        steps.givesInitialValues { steppers.flatMap { $0.takeInitialSteps() } }
    }

    /// Subscribes to the combined steppers, and calls ``Stepper/readyToEmitSteps()`` on each.
    ///
    /// The coordinator takes the initial steps by itself: those of a screen wait until it is presented. If the steps of this stepper go
    /// by way of another relay, they are emitted now.
    public func readyToEmitSteps() {
        for step in steps.untakenInitialValues() { steps.accept(step) }
        subscriptions = steppers.map { stepper in stepper.steps.subscribe { [steps] step in steps.accept(step) } }
        for stepper in steppers { stepper.readyToEmitSteps() }
    }
}

extension Stepper {
    /// The initial steps in order: the stepper's own, and those of the ``CompositeStepper`` whose relay it has. To be called once for
    /// each call of ``readyToEmitSteps()``.
    func takeInitialSteps() -> [any Step] {
        // Read once, as it can be a computed property.
        let step = initialStep
        let further = steps.takeInitialValues()
        return step.isNone ? further : [step] + further
    }
}
