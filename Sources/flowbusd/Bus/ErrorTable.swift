import FlowCore
import FlowWire

extension NavigationFailure.Reason {
    /// The arguments `verdict` and `errorName` of a signal: one of them is empty.
    var busTexts: (verdict: String, errorName: String) {
        switch self {
        case .verdict(let verdict): (verdict.rawValue, "")
        case .error(let code): ("", code.busName)
        }
    }
}

extension Outcome {
    /// The arguments `verdict`, `errorName` and `errorMessage` of an answer or a signal: the first is empty, or the others.
    var busTexts: (verdict: String, errorName: String, errorMessage: String) {
        switch self {
        case .navigated: (Verdict.navigated.rawValue, "", "")
        case .ignored(let verdict): (verdict.rawValue, "", "")
        case .refused(let error): ("", error.code.busName, error.message)
        }
    }
}

extension Withdrawal.Reason {
    /// The reason in `Withdraw`.
    var busText: String {
        switch self {
        case .dismissal(let reason): reason.rawValue
        case .result: "result"
        case .rule: "rule"
        case .parent: "parent"
        case .undeclared: "undeclared"
        case .replaced: "replaced"
        case .evicted: "evicted"
        }
    }
}
