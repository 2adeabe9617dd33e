extension FlowError.Code {
    /// When this error is answered: its row in the tables of `docs/semantics.md` and org.flowbus.Navigation1(5).
    public var summary: String {
        switch self {
        case .unknownStep: "No definition declares the step (S-3)."
        case .invalidArguments:
            "An argument or an option is unknown or missing, or has the wrong type or value (S-3)."
        case .unknownFlow: "No flow of this name is defined."
        case .invalidName: "A name or an id is not allowed (S-1)."
        case .idTaken: "A live sibling has this id (S-1)."
        case .notOwner:
            "Another client owns the presentable, or its presenter is being called (S-29); "
                + "or another client registered the flow (S-32)."
        case .alreadyClaimed: "Another client owns the presentable, or its presenter is being called (S-29)."
        case .alreadyRegistered:
            "A file or another client defines a flow of this name, or another client registered the screen (S-32)."
        case .staleInstance:
            "Another presentable is at this path now (S-25), or Back would not dismiss the one that the caller expects (S-39)."
        case .staleArguments: "The screen was reused with other arguments than its owner was told of (S-44)."
        case .flowEnded: "The flow ended before it could take the step (S-22)."
        case .presentableDismissed:
            "The presentable was dismissed (S-22), and with it a step that waited for it (S-15)."
        case .navigationLoop: "One origin triggered too many steps (S-11)."
        case .limitExceeded: "A limit is reached; the message names it (S-33)."
        case .rejected:
            "A guard answers with this error to reject a step; the emitter gets the verdict `rejected` (S-5)."
        case .unhandled:
            "A navigator answers with this error for a step that the flow does not take; the emitter gets the verdict `unhandled` (S-5)."
        case .wouldDeadlock: "The flow waits for the client that makes this call (S-32)."
        case .guardFailed: "The flow's guard can't be called, or its answer is not valid (S-5)."
        case .guardTimeout: "The flow's guard did not answer in time (S-5)."
        case .navigatorFailed:
            "The flow's navigator can't be called, its answer is not valid (S-5), or it left the bus (S-32)."
        case .navigatorTimeout: "The flow's navigator did not answer in time (S-5)."
        case .timeout: "The flow was not ready in time (S-26), or the call was postponed for too long (S-7)."
        case .pathFailed: "A deep link came to a flow that is not there, or to a step that was not navigated (S-28)."
        case .accessDenied:
            "The `emitters` of the flow, or of the parent of the presentable, do not include the caller (S-5); "
                + "or the call is reserved for root and the service's user."
        case .notSupported:
            "The call is for screens alone, and the presentable is a flow (S-39); or the screen declares no `result` (S-45)."
        case .invalidDefinition: "The definition files have errors; the message lists the first 100."
        }
    }
}
