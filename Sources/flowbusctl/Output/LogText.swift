import FlowCore
import FlowWire
import Platform

extension LogEntry {
    /// Returns the line of the log: `2026-11-21 12:00:01 #17 did navigate flow=main step=open item=7 → screen page`.
    func line(_ output: Output) -> String {
        var line = output.paint(LocalTime(time).text, .dim) + " #\(serial) did navigate flow=\(flow.shortPath) step="
        line += output.paint(Names.line(step), .bold)
        let arguments = self.arguments.argumentText
        if !arguments.isEmpty { line += " " + arguments }
        let led = contributors.map { [$0.kind, $0.name].filter { !$0.isEmpty }.joined(separator: " ") }
        line += output.hasUnicode ? " → " : " -> "
        return line + Names.line(led.isEmpty ? "none" : led.joined(separator: ", "))
    }

    /// The navigation as JSON.
    var json: JSON {
        .object([
            ("event", .string("navigated")), ("serial", .number(Int128(serial))), ("time", .number(Int128(time))),
            ("flow", .string(flow.shortPath)), ("object", .string(flow)), ("step", .string(step)),
            ("arguments", JSON(arguments)),
            (
                "contributors",
                .array(
                    contributors.map { contributor in
                        .object([
                            ("kind", .string(contributor.kind)), ("name", .nonEmpty(contributor.name)),
                            ("path", .nonEmpty(contributor.path.shortPath)), ("style", .nonEmpty(contributor.style)),
                            ("arguments", JSON(contributor.arguments)),
                        ])
                    })
            ), ("cause", .number(Int128(cause))), ("sender", .nonEmpty(sender)),
        ])
    }
}

/// A step that failed without a caller waiting for it: the signal NavigationFailed.
struct FailedStep {
    let time: UInt64
    let flow: String
    let step: String
    /// Empty where it failed with an error.
    let verdict: String
    /// Empty where it has a verdict.
    let errorName: String
    /// For a verdict, too.
    let message: String

    /// Reads the signal.
    init?(_ signal: Incoming, at time: UInt64) {
        let texts = signal.values.map { $0.text ?? "" }
        guard signal.member == "NavigationFailed", texts.count == 6 else { return nil }
        (self.time, flow) = (time, signal.path)
        (step, verdict, errorName, message) = (texts[2], texts[3], texts[4], texts[5])
    }

    /// Returns the line of the log.
    func line(_ output: Output) -> String {
        let short = verdict.isEmpty ? BusNames.shortened(errorName) : verdict
        return output.paint(LocalTime(time).text, .dim) + " "
            + output.paint("did not navigate", .red) + " flow=\(flow.shortPath) step=\(Names.line(step)): "
            + Names.line(message.isEmpty ? short : "\(short): \(message)")
    }

    /// The failure as JSON.
    var json: JSON {
        .object([
            ("event", .string("failed")), ("time", .number(Int128(time))), ("flow", .string(flow.shortPath)),
            ("object", .string(flow)), ("step", .string(step)), ("verdict", .nonEmpty(verdict)),
            ("errorName", .nonEmpty(errorName)), ("errorMessage", .nonEmpty(message)),
        ])
    }
}
