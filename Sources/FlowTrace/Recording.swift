public import FlowCore

/// What a service said at a time: calls that only read, with their answers, as text. `flowbusctl record` writes it.
///
/// ```
/// flowbus-recording 1 1796041050581181 1796041650581181
/// owner ":1.7" "org.example.Kiosk"
/// answer "/org/flowbus/Navigation1" "org.flowbus.Navigation1.Coordinator" "GetSerial" 0 1 t 17
/// end
/// ```
///
/// The first line has the times, in µs since 1970, from which and to which it goes. An answer follows the path, the interface
/// and the member, the number of the call's arguments with each of them, and the number of values; values are as in a ``Trace``.
public struct Recording: Sendable {
    /// A call to the service.
    public struct Call: Hashable, Sendable {
        /// The path of the object.
        public let path: String
        /// The interface.
        public let interface: String
        /// The method.
        public let member: String
        /// The arguments.
        public let arguments: [Value]

        /// Creates a call.
        public init(_ path: String, _ interface: String, _ member: String, _ arguments: [Value]) {
            (self.path, self.interface, self.member, self.arguments) = (path, interface, member, arguments)
        }
    }

    /// The time from which navigations are in it, in µs since 1970.
    public let since: UInt64
    /// When it was made.
    public let time: UInt64
    /// The answers in their order.
    public private(set) var answers: [(call: Call, values: [Value])] = []
    private var places: [Call: Int] = [:]
    /// Who unique names of the bus were, in their order.
    public private(set) var owners: [(name: String, text: String)] = []

    /// Creates a recording without answers.
    public init(since: UInt64, time: UInt64) {
        self.since = since
        self.time = time
    }

    /// Notes the answer to a call, in place of an earlier one to the same call.
    public mutating func note(_ values: [Value], to call: Call) {
        if let place = places[call] {
            answers[place].values = values
        } else {
            places[call] = answers.count
            answers.append((call, values))
        }
    }

    /// Notes who a unique name of the bus is, for people.
    public mutating func note(owner name: String, _ text: String) {
        if owner(name) == nil { owners.append((name, text)) }
    }

    /// The answer to a call; nil if it was not made.
    public func answer(to call: Call) -> [Value]? { places[call].map { answers[$0].values } }

    /// Who a unique name was.
    public func owner(_ name: String) -> String? { owners.first { $0.name == name }?.text }

    // MARK: - As text

    private static let opening = "flowbus-recording 1"

    /// The lines.
    public var text: String {
        var text = "\(Self.opening) \(since) \(time)\n"
        for (name, owner) in owners {
            var line = TraceLine("owner")
            line.add(quoted: name)
            line.add(quoted: owner)
            text += line.text + "\n"
        }
        for (call, values) in answers {
            var line = TraceLine("answer")
            for word in [call.path, call.interface, call.member] { line.add(quoted: word) }
            for list in [call.arguments, values] {
                line.add(list.count)
                for value in list { line.add(variant: value) }
            }
            text += line.text + "\n"
        }
        return text + "end\n"
    }

    /// Reads the lines.
    ///
    /// - Throws: ``Trace/Mismatch`` for the first line that can't be read.
    public init(_ text: String) throws(Trace.Mismatch) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), first.hasPrefix(Self.opening + " ") else {
            throw Trace.Mismatch(line: 1, "this is no recording: it has to begin with '\(Self.opening) SINCE TIME'")
        }
        do throws(TraceScanner.Failure) {
            var scanner = TraceScanner(first.dropFirst(Self.opening.count))
            self.init(since: try scanner.time().microseconds, time: try scanner.time().microseconds)
            while let line = lines.popFirst(), line != "end" { try read(line) }
        } catch {
            throw Trace.Mismatch(line: lines.startIndex, error.message)
        }
        guard lines == [""] else {
            throw Trace.Mismatch(line: lines.startIndex, "the last line has to be 'end'; a part of the file is missing")
        }
    }

    private mutating func read(_ line: Substring) throws(TraceScanner.Failure) {
        var scanner = TraceScanner(line)
        switch try scanner.word() {
        case "owner": note(owner: try scanner.word(), try scanner.word())
        case "answer":
            let (path, interface, member) = (try scanner.word(), try scanner.word(), try scanner.word())
            let call = Call(path, interface, member, try scanner.values())
            note(try scanner.values(), to: call)
        case let word: throw TraceScanner.Failure("'\(word)' is neither 'owner', 'answer' nor 'end'")
        }
        guard scanner.isAtEnd else { throw TraceScanner.Failure("there is more in the line than was expected") }
    }
}

extension TraceScanner {
    /// Reads the number of values, then each with its signature before it.
    fileprivate mutating func values() throws(Failure) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try count()) { values.append(try variant()) }
        return values
    }
}
