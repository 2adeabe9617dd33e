#if Macros
    import SwiftDiagnostics
    import SwiftSyntax

    /// An error at a place of the source.
    struct Problem: DiagnosticMessage {
        let message: String
        var diagnosticID: MessageID { MessageID(domain: "FlowBus", id: "problem") }
        var severity: DiagnosticSeverity { .error }

        static func at(_ node: some SyntaxProtocol, _ message: String) -> DiagnosticsError {
            DiagnosticsError(diagnostics: [Diagnostic(node: node, message: Problem(message: message))])
        }
    }
#endif
