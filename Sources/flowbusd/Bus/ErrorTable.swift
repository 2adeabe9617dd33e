import FlowCore
import FlowWire

extension NavigationFailure.Reason {
    /// What `NavigationFailed` says: a verdict, or an error's name.
    var busText: String {
        switch self {
        case .verdict(let verdict): verdict.rawValue
        case .error(let code): code.busName
        }
    }
}

extension Outcome {
    /// What `Navigate` says of one flow: a verdict, or an error's name.
    var busText: String {
        switch self {
        case .navigated: Verdict.navigated.rawValue
        case .ignored(let verdict): verdict.rawValue
        case .refused(let error): error.code.busName
        }
    }
}

extension Withdrawal.Reason {
    /// What `Withdraw` says.
    var busText: String {
        switch self {
        case .dismissal(let reason): reason.rawValue
        case .rule: "rule"
        case .parent: "parent"
        case .undeclared: "undeclared"
        case .replaced: "replaced"
        }
    }
}
