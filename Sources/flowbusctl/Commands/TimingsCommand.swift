import ArgumentParser
import FlowCore
import FlowWire

/// `timings`
struct TimingsCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "timings", abstract: "Show how long screens took until they were visible.",
        discussion: """
            A screen with a presenter or an application is timed when it comes in sight for the first time: from the step, or the user's input, until \
            it is visible, without the time of guards and navigators. 'cold' means that the bus had to start the program. The \
            service counts from its start.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let answer = try context.connect().coordinator("GetTimings")
        let timings = (answer.first?.elements ?? []).compactMap(Timing.init)
        if context.output.isJSON {
            for timing in timings { try context.output.line(timing.json) }
        } else {
            for line in Timing.lines(timings) { try context.output.line(line) }
        }
        return .success
    }
}

/// An entry of GetTimings, `(ssuttttt)`.
private struct Timing {
    static let names = ["p50", "p90", "p99", "max", "last"]

    let screen: String
    let start: String
    let count: Int128
    /// In µs, in the order of the names.
    let times: [Int128]

    init?(_ value: Value) {
        let parts = value.elements
        guard parts.count == 8, let screen = parts[0].text, let start = parts[1].text else { return nil }
        let numbers = parts.dropFirst(2).compactMap { $0.number.map { Int128($0) } }
        guard numbers.count == 6 else { return nil }
        (self.screen, self.start, count, times) = (screen, start, numbers[0], Array(numbers.dropFirst()))
    }

    /// A table with times in ms.
    static func lines(_ timings: [Timing]) -> [String] {
        if timings.isEmpty { return ["no screen was timed yet"] }
        var rows = [["SCREEN", "START", "COUNT"] + names.map { $0.uppercased() }]
        for timing in timings {
            rows.append([Names.line(timing.screen), timing.start, "\(timing.count)"] + timing.times.map(milliseconds))
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let filler = String(repeating: " ", count: widths[column] - text.count)
                return column < 2 ? text + filler : filler + text
            }.joined(separator: "  ")
        }
    }

    private static func milliseconds(_ time: Int128) -> String {
        let tenths = (time + 50) / 100
        return "\(tenths / 10).\(tenths % 10)ms"
    }

    var json: JSON {
        .object(
            [("screen", .string(screen)), ("start", .string(start)), ("count", .number(count))]
                + zip(Self.names, times).map { ($0, .number($1)) })
    }
}
