import FlowCore
import FlowWire
import SdBus

// What several members of the contract tell in the same form.

extension MessageWriter {
    /// Writes an outcome, `tsss`: serial, verdict, the error's name and its message; 0 and empty where there is none.
    func append(outcome: Outcome?) throws {
        let texts = outcome?.busTexts ?? (verdict: "", errorName: "", errorMessage: "")
        try append(outcome?.serial ?? 0)
        try append(texts.verdict)
        try append(texts.errorName)
        try append(texts.errorMessage)
    }
}
