import Glibc
import Input

@testable import FlowCore
@testable import Processes
@testable import Store

/// Writes inputs to begin with, which are made and so are not kept: files of the examples, recorded tours, records of random lives, and
/// bytes.
func writeSeeds(to folder: String) {
    let random = (0..<24).map { seed in
        var numbers = Seeded(seed: UInt64(seed))
        return (0..<(64 << (seed % 5))).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 56) }
    }
    for name in ["events", "rules"] { write(random, folder + "/" + name) }
    for (number, name) in exampleNames.enumerated() {
        guard let text = content(of: "Tests/FlowTraceTests/Tours/\(name).trace") else {
            fatalError("there is no trace '\(name)'")
        }
        let lines = text.split(separator: 0x0a)
        // Events alone; replay compares effects, of which the first that differs ends it.
        let events = lines.filter { $0.first == UInt8(ascii: ">") }
        write(
            [[UInt8(number)] + events.prefix(60).joined(separator: [0x0a])], folder + "/traces",
            prefix: "events-\(name)")
        write([[UInt8(number)] + lines.prefix(40).joined(separator: [0x0a])], folder + "/traces", prefix: name)
    }
    write(recordSamples(), folder + "/records")
    let commit = goodFile[".db-commit"] ?? []
    write(
        [[0] + (goodFile[".db"] ?? []), [1, 0, 30, 1], [2] + commit, [3, 0, 9, 1], [4] + sampleEntries, [5, 0]],
        folder + "/store")
    let values = [
        "int64\n5", "string\nx", "as\n[\"a\", 'b']", "a{sv}\n{\"a\": 1, \"b\": [1, 2]}", "v\n1979-05-27", "d\n1.5e3",
        "(is)\n[1, \"x\"]",
        "byte\n300", "b\ntrue", "t\n18446744073709551615", "o\n/a/b", "g\na{sv}", "x\n1min 30s",
    ]
    write(values.map { Array($0.utf8) }, folder + "/values")
}

/// The records of the examples with everything started.
private func recordSamples() -> [[UInt8]] {
    examples.enumerated().map { number, definitions in
        var coordinator = Coordinator(definitions: definitions, basePath: "")
        _ = coordinator.handle(.started, at: Instant(microseconds: 1))
        let client = Client(":1.1")
        for path in coordinator.paths.prefix(5) {
            for step in definitions.steps.indices.prefix(5) {
                guard let node = coordinator.node(at: path) else { break }
                _ = coordinator.handle(
                    .stepEmitted(
                        RequestID(UInt64(step) + 1), on: node, step: StepID(step), arguments: [], by: client,
                        options: EmissionOptions(token: "t\(step)")), at: Instant(microseconds: 2))
            }
        }
        return [UInt8(number)]
            + coordinator.takeAllRecords().flatMap { record in
                let body = record.body ?? []
                return [record.key.kind.rawValue - 1, UInt8(truncatingIfNeeded: record.key.number)]
                    + [UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
            }
    }
}

private func write(_ inputs: [[UInt8]], _ folder: String, prefix: String = "seed") {
    mkdir(folder, 0o755)
    for (number, input) in inputs.enumerated() {
        write(input, to: "\(folder)/\(prefix)-\(number)")
    }
}
