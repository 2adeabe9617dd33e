/// Emits steps: RxFlow's Stepper. A view model, a service, or a screen or flow itself.
///
/// It knows what happens, never where that leads: this is for the flow to say, in ``Flow/navigate(to:)``.
@MainActor
public protocol Stepper: AnyObject, Sendable {
    /// What it emits: `steps.accept(DemoStep.moviePicked(withMovieId: 23))`.
    var steps: PublishRelay<any Step> { get }

    /// What is set off when the flow or screen that it is contributed with begins; ``NoneStep`` unless it says otherwise.
    ///
    /// A flow's is taken at once; a screen's when that is presented for the first time, which with
    /// `allowStepWhenNotPresented` is at once, too (rule S-16).
    var initialStep: any Step { get }

    /// Called once each time it is contributed, when what it emits is heard; does nothing unless it says otherwise.
    func readyToEmitSteps()
}

extension Stepper {
    /// None.
    public var initialStep: any Step { NoneStep() }

    /// Nothing to do.
    public func readyToEmitSteps() {}
}

/// Emits one step, at the beginning: RxFlow's OneStepper.
public final class OneStepper: Stepper {
    /// What comes after the first; nothing, unless somebody else has it emit.
    public let steps = PublishRelay<any Step>()
    /// The one step.
    public let initialStep: any Step

    /// A stepper for this step.
    public init(withSingleStep step: any Step) { initialStep = step }
}

/// Emits ``RxFlowStep/home`` at the beginning: RxFlow's DefaultStepper.
public final class DefaultStepper: Stepper {
    /// What comes after the first; nothing, unless somebody else has it emit.
    public let steps = PublishRelay<any Step>()
    /// ``RxFlowStep/home``, which the flow has to list among its ``Flow/steps``.
    public var initialStep: any Step { RxFlowStep.home }

    /// A stepper for ``RxFlowStep/home``.
    public init() {}
}

/// Emits nothing: for a flow or screen that others give steps to. RxFlow has it for itself.
public final class NoneStepper: Stepper {
    /// Nothing, unless somebody else has it emit.
    public let steps = PublishRelay<any Step>()

    /// A stepper without steps.
    public init() {}
}

/// Several steppers as one: RxFlow's CompositeStepper.
public final class CompositeStepper: Stepper {
    /// What all of them emit, and who uses this one has emitted by it.
    public let steps = PublishRelay<any Step>()
    let steppers: [any Stepper]
    private var subscriptions: [Subscription] = []

    /// These steppers as one; their initial steps are set off in this order, each after the one before has been taken.
    public init(steppers: [any Stepper]) { self.steppers = steppers }

    /// The initial step of the first of them that has one; the others' follow.
    public var initialStep: any Step { initialSteps.first ?? NoneStep() }

    /// Listens to all of them, and tells them so.
    public func readyToEmitSteps() {
        subscriptions = steppers.map { stepper in stepper.steps.subscribe { [steps] step in steps.accept(step) } }
        for stepper in steppers { stepper.readyToEmitSteps() }
    }
}

extension Stepper {
    /// All that it begins with, in order: several for a ``CompositeStepper``, else one or none.
    var initialSteps: [any Step] {
        if let composite = self as? CompositeStepper { return composite.steppers.flatMap(\.initialSteps) }
        // Asked for once: it may be made anew each time.
        let step = initialStep
        return step is NoneStep ? [] : [step]
    }
}
