import ArgumentParser
import FlowCore
import FlowWire
import Platform

/// Completions of command lines, from the live state. They never start the service, report no errors, and give up after two
/// seconds.
enum Completion {
    /// The paths of live nodes.
    static let nodes = CompletionKind.custom { words, _, _ in
        answer { try CommandWords(words).connect().liveNodes(activates: false).map(\.path.text) }
    }

    /// The steps that the node before has rules for.
    static let stepsOfNode = CompletionKind.custom { words, _, _ in
        answer {
            let words = CommandWords(words)
            return try words.connect().acceptedSteps(of: Target(words.value(0) ?? ""))
        }
    }

    /// All declared steps.
    static let steps = CompletionKind.custom { words, _, _ in
        answer { try CommandWords(words).connect().quietDeclarations().map(\.name) }
    }

    /// Defined flows.
    static let flows = CompletionKind.custom { words, _, _ in
        answer { try CommandWords(words).connect().definedFlows() }
    }

    /// Live nodes and defined flows.
    static let nodesAndFlows = CompletionKind.custom { words, _, _ in
        answer {
            let client = try CommandWords(words).connect()
            return try client.liveNodes(activates: false).map(\.path.text) + client.definedFlows()
        }
    }

    /// `key=` for each argument of the step before, which follows a node.
    static let argumentsOfStep = CompletionKind.custom { words, _, _ in arguments(words, step: 1) }
    /// `key=` for each argument of the step before, which is the first word.
    static let argumentsOfFirst = CompletionKind.custom { words, _, _ in arguments(words, step: 0) }

    /// `key=` for each value of the context that is no secret.
    static let contextNames = CompletionKind.custom { words, _, _ in
        answer {
            let words = CommandWords(words)
            return try words.connect().quietContext(of: words.flow).map { $0 + "=" }
        }
    }

    private static func arguments(_ words: [String], step place: Int) -> [String] {
        answer {
            let words = CommandWords(words)
            let step = try words.connect().quietDeclarations().first { $0.name == words.value(place) }
            return step?.parameters.map { $0.name + "=" } ?? []
        }
    }

    private static func answer(_ find: () throws -> [String]) -> [String] {
        CurrentProcess.exitQuietly(afterSeconds: 2)
        return (try? find()) ?? []
    }
}

/// The words of an unfinished command line.
private struct CommandWords {
    /// The options of all commands that have a value.
    private static let valued: Set<String> = [
        "--address", "--color", "--token", "--instance", "--activation-token", "--id", "--step", "--flow-argument",
        "--timeout", "--since", "--lines", "-n", "--format", "--flow", "--output", "--all",
        "--bus-name", "--replay", "--systemd",
    ]

    private var plain: [String] = []
    private var options: [String: String] = [:]
    private var isSystem = false

    init(_ words: [String]) {
        var rest = words.dropFirst()[...]
        while let word = rest.popFirst() {
            if word == "--system" { isSystem = true }
            if Self.valued.contains(word) {
                options[word] = rest.popFirst()
            } else if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
                options[String(word[..<equals])] = String(word[word.index(after: equals)...])
            } else if !word.hasPrefix("-") {
                plain.append(word)
            }
        }
    }

    /// Returns a word after the command's name, not counting options.
    func value(_ place: Int) -> String? {
        plain.dropFirst().dropFirst(place).first.map { word in
            // A shell can pass the quotes, too.
            word.filter { $0 != "'" && $0 != "\"" }
        }
    }

    /// The value of `--flow`.
    var flow: String? { options["--flow"] }

    func connect() throws(Failure) -> ServiceClient {
        try ServiceClient(Options.chosen(address: options["--address"], isSystem: isSystem))
    }
}

extension ServiceClient {
    fileprivate func quietDeclarations() throws(Failure) -> [StepDeclaration] { try declarations(activates: false) }

    fileprivate func quietContext(of flow: String?) throws(Failure) -> [String] {
        let all = try properties(ServiceClient.root, BusNames.Interface.coordinator, activates: false)["Context"]
        var names = all?.entries.map(\.name) ?? []
        if let flow {
            let own = try properties(Target(flow).objectPath, BusNames.Interface.flow, activates: false)["Context"]
            names += own?.entries.map(\.name) ?? []
        }
        return Set(names).sorted()
    }

    fileprivate func definedFlows() throws(Failure) -> [String] {
        try call(ServiceClient.root, BusNames.Interface.coordinator, "GetDefinitionNames", activates: false).first?
            .elements
            .compactMap(\.text) ?? []
    }

    fileprivate func acceptedSteps(of node: Target) throws(Failure) -> [String] {
        try call(node.objectPath, BusNames.Interface.stepper, "GetAcceptedSteps", activates: false).first?.elements
            .compactMap(\.text) ?? []
    }
}
