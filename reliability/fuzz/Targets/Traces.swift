@testable import FlowCore
@testable import FlowFile
@testable import FlowTrace

/// The examples with a recorded tour, sorted, with their definitions.
let exampleNames = ["car", "movies-2", "restart", "tabs"]
let examples: [Definitions] = exampleNames.map { name in
    do throws(DefinitionFailure) {
        return try DefinitionFiles.load(from: DefinitionFolders(named: ["examples/\(name)/flows.d"], environment: [:]))
            .definitions
    } catch {
        fatalError("examples/\(name): \(error)")
    }
}

/// A trace of the example that the first byte names. Lines that can be read are events, which are handled; written again, they
/// are the same. The trace of all that replays.
func playTraces(_ bytes: [UInt8]) {
    guard let first = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self) else { return }
    let definitions = examples[Int(first) % examples.count]
    _ = try? Trace.replay(text, definitions: definitions)
    let header = Trace.header(basePath: "/org/flowbus/Navigation1/tree")
    var coordinator = Coordinator(definitions: definitions, basePath: "/org/flowbus/Navigation1/tree")
    var written = header + "\n"
    var count = 0
    for line in text.split(separator: "\n") where line.hasPrefix("> ") && count < 400 {
        let event: Event
        let now: Instant
        do throws(TraceScanner.Failure) {
            (event, now) = try Trace.event(of: line, for: coordinator, reading: definitions)
        } catch {
            expect(!error.message.isEmpty, "there is no message")
            continue
        }
        let once = Trace.line(of: event, at: now, in: coordinator)
        do throws(TraceScanner.Failure) {
            let (again, time) = try Trace.event(of: once[...], for: coordinator, reading: definitions)
            expect(
                Trace.line(of: again, at: time, in: coordinator) == once, "written again, it is another line: \(once)")
        } catch {
            fatalError("what was written can't be read: \(once): \(error.message)")
        }
        written += once + "\n"
        for effect in coordinator.handle(event, at: now, upTo: Limits.slice) {
            written += Trace.line(of: effect) + "\n"
        }
        count += 1
        if coordinator.paths.count > 200 { break }
    }
    do throws(Trace.Mismatch) {
        let replayed = try Trace.replay(written, definitions: definitions)
        expect(replayed == count, "\(count) events were recorded, and \(replayed) replayed")
    } catch {
        fatalError("a trace does not replay: \(error)")
    }
}
