/// What the shell has to do, in this order. Values alone, whole in themselves: they are carried out when the tree may
/// have changed further, so they never ask for more.
public enum Effect: Equatable, Sendable {
    /// Send `NavigationWillOccur`.
    case emitNavigationWillOccur(Announcement)
    /// Send `InterfacesRemoved`: the presentable at this path is gone.
    case removePresentable(path: String, isFlow: Bool)
    /// Send `InterfacesAdded`.
    indirect case addPresentable(PresentableState)
    /// Send `PropertiesChanged`.
    case changeProperties(PropertyChanges)
    /// Send `NavigationOccurred`.
    case emitNavigationOccurred(Navigation)
    /// Send `NavigationFailed`.
    case emitNavigationFailed(NavigationFailure)
    /// Call `Adapt` of a guard, and bring ``Event/guardReplied(_:_:)``.
    indirect case askGuard(Question)
    /// Call `Navigate` of a navigator, and bring ``Event/navigatorReplied(_:_:)``.
    indirect case askNavigator(Question)
    /// Call `Present` of a presenter, and bring ``Event/presenterReplied(_:_:)``.
    indirect case present(Presentation)
    /// Nobody waits for the answer to this question any more. If it was not sent, it need not be; a presenter's answer is
    /// wanted all the same.
    case dropQuestion(QuestionID)
    /// Call `Withdraw` of an owner.
    case withdraw(Withdrawal)
    /// Send `StepConcluded`.
    case emitStepConcluded(Conclusion)
    /// Bring ``Event/clientVanished(_:)`` when this client's connection is gone, and before it
    /// ``Event/clientIdentified(_:user:)`` if it is another user's.
    case watchClient(Client)
    /// Send `DefinitionsChanged`: clients registered flows, or do so no longer.
    case emitDefinitionsChanged
    /// Answer a call.
    case reply(RequestID, Answer)
    /// Refuse a call.
    case fail(RequestID, FlowError)
    /// Bring ``Event/timerFired`` at this time, instead of any that was asked for before; nil: not at all.
    case startTimer(at: Instant?)
    /// Log that a root could not be started, which would have this path: there is nobody to tell.
    case reportUnstarted(path: String, FlowError)
    /// Log that the presentable at this path, or something of it, did not come back with the others, and why (D-5).
    case reportUnrestored(path: String, String)
}

/// What became of a step that was taken (S-9).
public enum Verdict: String, CaseIterable, Sendable {
    /// The flow has a rule for it and its contributors were applied.
    case navigated
    /// The flow has no rule for it, or none of its alternatives matched; nothing changed.
    case unhandled
    /// Ignored: the presentable it was emitted on is not presented.
    case hidden
    /// Kept until that presentable is presented (S-15).
    case deferred
    /// The flow's guard refused it (S-5).
    case rejected
    /// Not decided yet; the outcome comes as ``Effect/emitStepConcluded(_:)``.
    case pending
}

/// How a step ended.
public enum Outcome: Equatable, Sendable {
    /// Its contributors were applied, by the navigation of this serial.
    case navigated(serial: UInt64)
    /// Nothing happened.
    case ignored(Verdict)
    /// It failed; nothing changed.
    case refused(FlowError)

    /// The serial of its navigation; 0 where there was none.
    public var serial: UInt64 { if case .navigated(let serial) = self { serial } else { 0 } }
}

/// The answer to a call.
public enum Answer: Equatable, Sendable {
    /// Done; there is nothing to say.
    case done
    /// What became of a step; the serial is 0 where there was no navigation.
    case verdict(Verdict, serial: UInt64)
    /// A root's path.
    case flow(path: String)
    /// What became of a deep link at each flow, in the order it went.
    case outcomes([FlowOutcome])
    /// What became of each step of a list (`EmitSteps`).
    case verdicts([Outcome])
}

/// What became of a deep link at one flow (S-27).
public struct FlowOutcome: Equatable, Sendable {
    /// The flow's path.
    public let path: String
    /// How the step ended there; nil: there was none for it, it is only on the way (S-28).
    public let outcome: Outcome?

    /// An outcome at a flow.
    public init(path: String, outcome: Outcome?) {
        self.path = path
        self.outcome = outcome
    }
}

/// A navigation that is about to be tried (*will*).
public struct Announcement: Equatable, Sendable {
    /// The flow's path.
    public var flow: String
    /// The step's name.
    public var step: String
    /// The step's arguments, without private ones.
    public var arguments: Arguments
    /// Whether a deep link brought the step (S-27).
    public var isDeepLink: Bool
    /// The name of the step that a guard put this one in place of; nil: none did.
    public var adaptedFrom: String?
}

/// A navigation that has happened (*did*, S-10).
public struct Navigation: Equatable, Sendable {
    /// The flow's path.
    public var flow: String
    /// The flow's name.
    public var definition: String
    /// Its number; one sequence for the coordinator, only ever growing.
    public var serial: UInt64
    /// The serial of the navigation that set it off; 0: from outside.
    public var cause: UInt64
    /// Who began the chain.
    public var client: Client
    /// The step's name; empty for a Back that dismissed (S-24).
    public var step: String
    /// The step's arguments, without private ones.
    public var arguments: Arguments
    /// What was applied, in order; empty for `none`.
    public var contributions: [Contribution]
    /// Whether a deep link brought the step (S-27).
    public var isDeepLink: Bool
    /// The name of the step that a guard put this one in place of; nil: none did.
    public var adaptedFrom: String?
}

/// A contributor that was applied.
public struct Contribution: Equatable, Sendable {
    /// Of which kind.
    public enum Kind: String, CaseIterable, Sendable {
        /// A new screen.
        case screen
        /// A new child flow.
        case flow
        /// A child that was there and got new arguments (S-19).
        case reuse
        /// All children were dismissed first (S-19).
        case clear
        /// Newer children were dismissed; of the presentable that is the newest now, if there is one (S-19).
        case pop
        /// Another step for the same flow.
        case current
        /// Another step for the parent.
        case parent
        /// The flow's end.
        case end
        /// The child that Back dismissed (S-24).
        case back
    }

    /// Of which kind.
    public var kind: Kind
    /// The presentable's name, or the step's; empty for an `end` without a step and for `clear`.
    public var name: String
    /// The presentable's path, or that of the flow which gets the step; nil where there is none.
    public var path: String?
    /// How the presentable is to be shown; empty where nothing is said.
    public var style = ""
    /// The presentable's arguments, or the step's, without private ones.
    public var arguments: Arguments = []

    /// A contributor that was applied.
    public init(
        kind: Kind, name: String, path: String? = nil, style: String = "", arguments: Arguments = []
    ) {
        self.kind = kind
        self.name = name
        self.path = path
        self.style = style
        self.arguments = arguments
    }
}

/// A step that nobody waits for and that ended otherwise than navigated (S-12).
public struct NavigationFailure: Equatable, Sendable {
    /// Why.
    public enum Reason: Equatable, Sendable {
        /// It was taken, with this verdict.
        case verdict(Verdict)
        /// It was refused.
        case error(FlowError.Code)
    }

    /// The path of the step's flow, or of the nearest ancestor that outlived it.
    public var flow: String
    /// The serial of the navigation that set the step off; 0: from outside.
    public var cause: UInt64
    /// Who began the chain.
    public var client: Client
    /// The step's name.
    public var step: String
    /// Why.
    public var reason: Reason
    /// The same for a person.
    public var message: String
    /// Whether a flow's timer set it off, which tries again (S-34).
    public var isIdle = false
}

/// A presentable as it was at one moment: what `InterfacesAdded` tells of it.
public struct PresentableState: Equatable, Sendable {
    /// What only flows have.
    public struct Flow: Equatable, Sendable {
        /// The definition's name.
        public var definition: String
        /// Whether it is ready (S-26).
        public var isReady: Bool
        /// The path of the child that covers the others (S-14); nil: none.
        public var current: String?
    }

    /// Its path.
    public var path: String
    /// The name of the screen or flow.
    public var name: String
    /// The parent's path; nil: it is a root.
    public var parent: String?
    /// How it is to be shown; empty where nothing is said.
    public var style: String
    /// Its number, never used again (S-1).
    public var instance: UInt64
    /// Its arguments, without private ones.
    public var arguments: Arguments
    /// Whether who shows it says that it is shown.
    public var isVisible: Bool
    /// Whether it is visible, not covered, and in a presented parent.
    public var isPresented: Bool
    /// What only flows have; nil: it is a screen.
    public var flow: Flow?
    /// The bus name of who is asked to show it; empty: nobody in particular.
    public var presenter = ""
    /// Who owns it (S-29); nil: nobody.
    public var owner: Client?
}

/// What changed of a presentable; nil for what stayed.
public struct PropertyChanges: Equatable, Sendable {
    /// Where a flow points.
    public enum Current: Equatable, Sendable {
        /// No child covers the others.
        case none
        /// The child at this path does.
        case child(path: String)
    }

    /// The presentable's path.
    public var path: String
    /// `Arguments`.
    public var arguments: Arguments?
    /// `Visible`.
    public var isVisible: Bool?
    /// `Presented`.
    public var isPresented: Bool?
    /// `Owner`; the client of no name for nobody.
    public var owner: Client?
    /// `Ready`.
    public var isReady: Bool?
    /// `Current`.
    public var current: Current?
}
