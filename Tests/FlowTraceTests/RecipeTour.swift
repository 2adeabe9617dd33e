import FlowCore
import FlowFile

/// The tour of a recipe: what somebody types, what else happens, and what is to be seen after each.
///
/// ```
/// # A line for who reads it.
/// * start
///   editor/recent
/// $ flowbusctl emit editor opened uri=a.txt
///   editor/document uri=a.txt
/// * 60s pass
///   editor/document uri=a.txt
/// ```
///
/// Behind a command stands its answer, unless it is what everybody hopes for, such as `hidden`. The indented lines are the screens that
/// nothing covers, the highest first. What happens before `start`, and between `stop` and `start`, happens while the device is off.
struct RecipeTour: ~Copyable {
    /// A line of a tour that says nothing to this program.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    private var device: PlayedDevice
    private(set) var played: [String] = []
    /// What was to be seen, each time.
    private(set) var sights: [[String]] = []

    /// Plays the commands and events of a tour.
    init(_ text: String, _ definitions: Definitions) throws {
        device = PlayedDevice(definitions)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("#") || (line.isEmpty && played.last?.isEmpty == false) { played.append(line) }
            guard line.hasPrefix("$ ") || line.hasPrefix("* ") else { continue }
            var words = try Self.words(line.dropFirst(2))
            if line.hasPrefix("$ "), words.removeFirst() != "flowbusctl" {
                throw Unreadable(description: "'\(line)' is no command of flowbusctl")
            }
            let answer = line.hasPrefix("$ ") ? try command(words) : try happen(words)
            played.append(line)
            if let answer { played.append(answer) }
            guard device.isOn else { continue }
            device.pass(200_000)
            sights.append(try device.sight())
            played += sights[sights.count - 1].map { "  \($0)" }
        }
        while played.last?.isEmpty == true { played.removeLast() }
    }

    // MARK: - Commands

    private mutating func command(_ words: [String]) throws -> String? {
        var words = words
        let options = try Self.takeOptions(["as", "id", "output", "step", "flow"], from: &words)
        let client = device.client(options["as"])
        let command = words.isEmpty ? "" : words.removeFirst()
        switch command {
        case "emit" where words.count >= 2:
            let (node, step) = (try node(words[0]), try step(words[1]))
            let arguments = try Self.arguments(words.dropFirst(2), device.definitions[step].parameters)
            return device.call { .stepEmitted($0, on: node, step: step, arguments: arguments, by: client) }
        case "back" where words.count == 1:
            let node = try node(words[0])
            return device.call { .backPressed($0, on: node, by: client) }
        case "show" where words.count == 1, "hide" where words.count == 1:
            let node = try node(words[0])
            return device.call { .visibilityChanged($0, of: node, isVisible: command == "show", by: client) }
        case "dismiss" where words.count == 1:
            let node = try node(words[0])
            return device.call { .presentableDismissed($0, node, by: client) }
        case "navigate" where !words.isEmpty:
            let step = try step(words[0])
            let arguments = try Self.arguments(words.dropFirst(), device.definitions[step].parameters)
            return device.call { .deepLinkOpened($0, step: step, arguments: arguments, by: client) }
        case "start" where !words.isEmpty:
            guard let flow = device.definitions.flow(named: words[0]) else {
                throw Unreadable(description: "no flow '\(words[0])' is defined")
            }
            let step = try options["step"].map { try self.step($0) } ?? device.definitions[flow].initial
            let arguments = try Self.arguments(words.dropFirst(), step.map { device.definitions[$0].parameters } ?? [])
            let request = FlowRequest(
                flow, id: options["id"], step: step, stepArguments: arguments, by: client,
                output: options["output"] ?? "")
            return device.call { .flowRequested($0, request) }
        case "move" where words.count == 2:
            let node = try node(words[0])
            return device.call { .rootMoved($0, node, to: words[1], by: client) }
        case "retry" where words.isEmpty: return device.call { .pausesEnded($0) }
        case "context" where !words.isEmpty:
            let node = try options["flow"].map { try self.node($0) }
            let definitions = device.definitions
            let declared = (definitions.context + definitions.flows.flatMap(\.context)).map {
                Parameter($0.name, $0.type)
            }
            let values = try Self.arguments(words[...], declared)
            return device.call { .contextSet($0, values, of: node, by: client) }
        default: throw Unreadable(description: "'flowbusctl \(command)' can't be played like this")
        }
    }

    // MARK: - What else happens

    private mutating func happen(_ words: [String]) throws -> String? {
        switch (words.count, words.first ?? "", words.dropFirst().first ?? "") {
        case (1, "start", _) where !device.isOn: device.start()
        case (1, "stop", _) where device.isOn: device.stop()
        case (2..., _, "pass") where words.count == 2:
            device.pass(try ArgumentText.microseconds(of: words[0]))
        case (2, let name, "crashes"): device.crash(name)
        case (2, let name, "hangs"): device.hang(name)
        case (3, let name, "is") where words[2] == "away": device.leave(name)
        case (3, let name, "is") where words[2] == "slow": device.slow(name)
        case (3, let name, "is") where words[2] == "ready": device.ready(name)
        case (3..., let name, "rejects"):
            let step = try step(words[2])
            device.reject(
                name, words[2], try Self.arguments(words.dropFirst(3), device.definitions[step].parameters))
        case (4..., let name, "emits"):
            return try command(["emit"] + words.dropFirst(2) + ["--as", name])
        case (3, let name, "closes"):
            return try command(["dismiss", words[2], "--as", name])
        case (5, let name, "closes") where words[3] == "for":
            let (node, client) = (try node(words[2]), device.client(name))
            let fault = Fault(words[4], "")
            return device.call { .presentableDismissed($0, node, by: client, fault: fault) }
        case (3..., let name, "finishes"):
            let (node, client) = (try node(words[2]), device.client(name))
            let result = try Self.arguments(words.dropFirst(3), device.screen(at: words[2])?.result ?? [])
            return device.call { .screenFinished($0, of: node, result, by: client) }
        case (3..., let name, "has"): device.plug(Array(words.dropFirst(2)), by: name)
        case (3..., let name, "signals"): try signal(name, words[2], Array(words.dropFirst(3)))
        case (3, let name, "says"): try change(name, words[2])
        default: throw Unreadable(description: "'* \(words.joined(separator: " "))' is nothing that can happen")
        }
        return nil
    }

    /// The steppers of this member of a service, and the type of a value that their steps take.
    private func steppers(
        _ service: String, _ member: String, _ source: StepperDefinition.Binding.Source
    ) throws -> [(index: Int, type: ValueType?)] {
        let found = device.definitions.steppers.enumerated().filter {
            $0.element.name == service && $0.element.member == member
        }
        if found.isEmpty { throw Unreadable(description: "no stepper has '\(member)' of '\(service)'") }
        return found.map { index, stepper in
            let name = stepper.bindings.first { $0.source == source }?.name
            let parameter = device.definitions[stepper.step].parameters.first { $0.name == name }
            return (index, parameter?.type)
        }
    }

    private mutating func signal(_ service: String, _ member: String, _ texts: [String]) throws {
        for (index, _) in try steppers(service, member, .value) {
            var values: [Value] = []
            for (place, text) in texts.enumerated() {
                let type = try steppers(service, member, .argument(place)).first { $0.index == index }?.type
                values.append(try Self.value(text, type ?? nil))
            }
            device.signal(index, values)
        }
    }

    private mutating func change(_ service: String, _ assignment: String) throws {
        let (member, text) = try Self.assignment(assignment)
        for (index, type) in try steppers(service, member, .value) {
            device.change(index, to: try Self.value(text, type))
        }
    }

    // MARK: - Words

    private func node(_ path: String) throws -> NodeID {
        guard let node = device.node(path) else { throw Unreadable(description: "nothing is live at '\(path)'") }
        return node
    }

    private func step(_ name: String) throws -> StepID {
        guard let step = device.definitions.step(named: name) else {
            throw Unreadable(description: "no step '\(name)' is declared")
        }
        return step
    }

    private static func arguments(_ words: ArraySlice<String>, _ declared: [Parameter]) throws -> Arguments {
        try words.map { word in
            let (name, text) = try assignment(word)
            guard let parameter = declared.first(where: { $0.name == name }) else {
                throw Unreadable(description: "no argument '\(name)' is declared")
            }
            return Argument(name, try ArgumentText.value(of: text, as: parameter.type))
        }
    }

    /// A value that a step takes as this type; a text if none takes it.
    private static func value(_ text: String, _ type: ValueType?) throws -> Value {
        guard let type else { return .string(text) }
        return try ArgumentText.value(of: text, as: type)
    }

    private static func assignment(_ word: String) throws -> (name: String, text: String) {
        guard let equals = word.firstIndex(of: "=") else {
            throw Unreadable(description: "'\(word)' has to be name=value")
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    /// Removes options with their values from the words of a command.
    private static func takeOptions(_ names: [String], from words: inout [String]) throws -> [String: String] {
        var options: [String: String] = [:]
        while let place = words.firstIndex(where: { $0.hasPrefix("--") }) {
            let name = String(words[place].dropFirst(2))
            guard names.contains(name), place + 1 < words.count else {
                throw Unreadable(description: "'--\(name)' can't be played")
            }
            options[name] = words[place + 1]
            words.removeSubrange(place...(place + 1))
        }
        return options
    }

    /// The words of a line, as a shell splits them: those in quotes are one.
    private static func words(_ line: Substring) throws -> [String] {
        var words: [String] = []
        var (word, quote): (String?, Character?) = (nil, nil)
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                (word, quote) = (word ?? "", character)
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if quote != nil { throw Unreadable(description: "a quote of '\(line)' is open") }
        return words + (word.map { [$0] } ?? [])
    }
}
