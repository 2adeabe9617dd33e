import FlowGraph

@testable import FlowCore
@testable import FlowFile

/// Definition files, separated by form feeds: each is taken, or refused with errors that say where and what; what is taken is the
/// same after it is written and read; and a machine starts with it.
func playDefinitions(_ bytes: [UInt8]) {
    let files = bytes.split(separator: 0x0c, omittingEmptySubsequences: false).enumerated().map { number, bytes in
        DefinitionFiles.FileText(
            file: "\(number).toml",
            text: Result { () throws(FileReader.Failure) in try FileReader.text(of: Array(bytes)) })
    }
    do throws(DefinitionFailure) {
        let files = try DefinitionFiles.check(files)
        let definitions = files.definitions
        judge(files.warnings + files.notes, of: bytes, isFailure: false)
        guard let text = try? definitions.fileText(hidesPrivateValues: false) else { return }
        do throws(DefinitionFailure) {
            let again = try DefinitionFiles.definitions(in: text)
            expect(TomlSource(text).newer == nil, "what was written is no TOML 1.0: \(text)")
            expect(again == definitions, "written and read, the definitions are others: \(text)")
            expect(
                (try? again.fileText(hidesPrivateValues: false)) == text,
                "written again, the text is another one: \(text)")
        } catch {
            fatalError("what was written is refused: \(error.diagnostics): \(text)")
        }
        expect((try? definitions.fileText(hidesPrivateValues: true)) != nil, "without private values there is no text")
        let graph = FlowGraph(definitions)
        expect(!graph.dot.isEmpty && !graph.mermaid.isEmpty, "there is no picture")
        start(definitions)
    } catch {
        judge(error.diagnostics + error.notes, of: bytes, isFailure: true)
    }
}

/// Act files, the same.
func playActs(_ bytes: [UInt8]) {
    do throws(DefinitionFailure) {
        let act = try ActFile.check(
            "0.toml", Result { () throws(FileReader.Failure) in try FileReader.text(of: bytes) })
        let warnings = act.warnings(for: examples[Int(bytes.first ?? 0) % examples.count])
        judge(warnings + act.notes, of: bytes, isFailure: false)
    } catch {
        judge(error.diagnostics + error.notes, of: bytes, isFailure: true)
    }
}

/// A type, a line feed, and the text of a value of it, as on a command line.
func playValues(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let name = String(validating: parts[0], as: UTF8.self),
        let text = String(validating: parts[1], as: UTF8.self), !text.unicodeScalars.contains("\0")
    else { return }
    _ = try? ArgumentText.microseconds(of: text)
    guard let type = ValueType(name: name) else { return }
    expect(ValueType(name: type.description) == type, "the word for '\(name)' is '\(type.description)', another type")
    do throws(ArgumentText.InvalidValue) {
        let value = try ArgumentText.value(of: text, as: type)
        expect(
            type.signature == "v" || value.signature == type.signature,
            "'\(text)' became a value '\(value.signature)', not '\(type.signature)'")
        expect(type.admit(value) != nil, "the type '\(name)' does not admit what '\(text)' became")
    } catch {
        expect(!error.text.isEmpty && !error.text.contains(where: \.isNewline), "no message in a line: '\(error.text)'")
    }
}

/// Whether diagnostics are of use: they are in one line, and about a line that there is.
private func judge(_ diagnostics: [Diagnostic], of bytes: [UInt8], isFailure: Bool) {
    expect(
        diagnostics.contains { $0.severity == .error } == isFailure, "errors and failure don't agree: \(diagnostics)")
    let lines = bytes.count { $0 == 0x0a } + 1
    for diagnostic in diagnostics {
        expect(!diagnostic.message.isEmpty, "there is no message")
        expect((1...lines).contains(diagnostic.line ?? 1), "there is no line \(diagnostic.line ?? 0): \(diagnostic)")
        expect(!diagnostic.description.contains(where: \.isNewline), "a message has several lines: \(diagnostic)")
    }
}

/// Starts a machine, and takes each step once on each flow that there is.
private func start(_ definitions: Definitions) {
    var coordinator = Coordinator(definitions: definitions, basePath: "")
    var time: UInt64 = 1
    var request: UInt64 = 0
    func now() -> Instant {
        time += 1_000
        return Instant(microseconds: time)
    }
    _ = coordinator.handle(.started, at: now())
    let client = Client(":1.1")
    for flow in definitions.flows.indices.prefix(8) {
        request += 1
        let wanted = FlowRequest(FlowID(flow), by: client)
        answered(coordinator.handle(.flowRequested(RequestID(request), wanted), at: now()), request)
    }
    for path in coordinator.paths.prefix(16) {
        for step in definitions.steps.indices.prefix(16) {
            guard let node = coordinator.node(at: path) else { break }
            request += 1
            let event = Event.stepEmitted(
                RequestID(request), on: node, step: StepID(step), arguments: [], by: client,
                options: EmissionOptions(waits: false))
            answered(coordinator.handle(event, at: now()), request)
            if coordinator.paths.count > 200 { return }
        }
    }
    time += 60_000_000
    _ = coordinator.handle(.timerFired, at: now())
    ownRecords(of: &coordinator)
}

/// A call gets one answer, at most.
private func answered(_ effects: [Effect], _ request: UInt64) {
    var count = 0
    for effect in effects {
        switch effect {
        case .reply(RequestID(request), _), .fail(RequestID(request), _): count += 1
        default: break
        }
    }
    expect(count <= 1, "call \(request) has \(count) answers")
}
