import ArgumentParser
import FlowCore
import FlowTrace
import FlowWire
import Platform

/// `record`
struct RecordCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Write what happened lately to a file, which --replay shows.",
        discussion: """
            The file has the navigations since a time, the tree as it is, who owns what, the stack, the context, the definitions, the \
            steppers and the timings. It has no private arguments, no private values of the context and no saved states: the service \
            does not give them away. Titles, and the texts of errors that programs gave, are left out, because nothing declares \
            whether they are private. What a rule passes on as an argument of a step that is not private, such as $message, stays. \
            The service has to keep a history.
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Option(
        help: ArgumentHelp(
            "Begin so long ago, or at a time (default: 10min).",
            discussion: "A span is '10min' or '1h 30min'; a time is as for log --since.", valueName: "span|time"))
    var since: String?

    @Option(
        help: ArgumentHelp(
            "Write to this file; only its owner can read a new one (default: standard output).", valueName: "file"),
        completion: .file())
    var output: String?

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let now = RealtimeClock.now
        let begin = try Self.begin(since ?? "10min", now)
        let client = try context.connect()
        let (recording, hasLeftOut) = try client.record(since: begin, at: now).withoutTexts()
        if hasLeftOut {
            context.output.note(
                "titles and texts of errors are left out: nothing declares whether they are private; what rules passed on as "
                    + "arguments stays, unless its step or screen is private")
        }
        guard let output else {
            try context.output.write(recording.text)
            return .success
        }
        do throws(SystemError) {
            try OutputFile(output).write(recording.text)
        } catch {
            throw Failure(.inputOutput, "could not write '\(Names.escaped(output))': \(error.reason)")
        }
        return .success
    }

    /// The time that `--since` means.
    private static func begin(_ text: String, _ now: UInt64) throws(Failure) -> UInt64 {
        if let span = try? TypedTime.span(text) { return now - min(now, span) }
        if let time = try? TypedTime.time(text, now: now) { return time }
        throw Failure(
            .badValue,
            "--since '\(Names.escaped(text))' is neither a time span above 0 nor a time; write it as '10min' or '1h 30min', or as "
                + "'2026-11-21 12:00:01', '12:00', 'today' or '5min ago'")
    }
}

extension ServiceClient {
    /// Makes the calls of all commands that only show something. It never starts the service, of which there would be nothing.
    fileprivate func record(since begin: UInt64, at now: UInt64) throws(Failure) -> Recording {
        _ = try bus
        if owner() == nil { throw noService() }
        if try latestSerial() > 0, try historyPage(after: 0, limit: 1, below: nil).entries.isEmpty {
            throw Failure(
                .unavailable,
                "the service keeps no history, so there is nothing to record; start flowbusd without '--state none' and with "
                    + "'--history-entries' above 0")
        }
        let first = try serial(before: begin)
        recording = Recording(since: begin, time: now)
        _ = try history(after: first, below: nil)
        _ = try latestSerial()
        _ = try properties(Self.root, BusNames.Interface.coordinator)
        for member in ["GetDefinitionNames", "GetDefinitions", "GetSteps", "GetSteppers", "GetTimings"] {
            try coordinator(member)
        }
        try coordinator("GetStack", .string(""))
        let nodes = try liveNodes()
        _ = TreePrinter(self, Output(options), showsArguments: true).objects(nodes)
        for flow in nodes where flow.isFlow { _ = try? properties(flow.path.objectPath, BusNames.Interface.flow) }
        _ = stacker()
        return recording ?? Recording(since: begin, time: now)
    }
}
