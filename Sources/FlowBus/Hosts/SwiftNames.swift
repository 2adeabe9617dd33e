/// What the flows and steps of a registration are called in Swift.
package struct SwiftNames: Equatable, Sendable {
    /// The type of the flow.
    var flow = ""
    /// The cases of its steps, such as `DemoStep.movieList`, by the names of the steps.
    var steps: [String: String] = [:]

    package init() {}

    init(flow: String, steps: [String: String]) { (self.flow, self.steps) = (flow, steps) }
}

/// The messages of the machine as they are in one process: they name types and methods of Swift, where those of the service name
/// definitions, and this program as guard and navigator.
struct LocalTexts {
    /// The name of the only client, as that of a connection begins.
    static let client = ":this-process"
    private var flows: [String: SwiftNames] = [:]

    /// Learns the names of a flow.
    mutating func add(_ flow: FlowRegistration) { flows[flow.name] = flow.swiftNames }

    /// Returns a message for people.
    ///
    /// - Parameters:
    ///   - message: the message of the machine.
    ///   - definition: the flow that it is about; nil if that is not known.
    func text(_ message: String, about definition: String?) -> String {
        let names = definition.flatMap { flows[$0] }
        let type = names.map { $0.flow + "." } ?? ""
        var text = message
        if let definition, let names {
            text = text.replacing(" '\(Self.client)' of flow '\(definition)'", with: " '\(Self.client)'")
            text = text.replacing("flow '\(definition)'", with: "flow '\(names.flow)'")
        }
        text = Self.replacing(inQuotesAfter: "the guard ", or: "the guard of ", with: "\(type)adapt(step:)", in: text)
        text = Self.replacing(inQuotesAfter: "the navigator ", or: "", with: "\(type)navigate(to:)", in: text)
        let steps = names.map { [$0] } ?? flows.sorted { $0.key < $1.key }.map(\.value)
        for name in Set(steps.flatMap(\.steps.keys)) where text.contains("step '\(name)'") {
            let swift = steps.lazy.compactMap { $0.steps[name] }.first ?? name
            text = text.replacing("step '\(name)'", with: "step '\(swift)'")
        }
        text = text.replacing("of a call of EmitStepWithOptions", with: "of a call of 'emit(_:on:token:)'")
        // What definition files have in quotes is a constant here.
        if text.contains("children = ") {
            text = text.replacing("children = ", with: "children ")
            for children in Children.allCases {
                text = text.replacing("\"\(children.rawValue)\"", with: "'.\(children.rawValue)'")
            }
        }
        return text.replacing("'\(Self.client)'", with: "this program")
    }

    /// Replaces a text in quotes, with the words before it.
    private static func replacing(
        inQuotesAfter first: String, or second: String, with new: String, in text: String
    ) -> String {
        for words in [second, first] where !words.isEmpty {
            guard let start = text.firstRange(of: words + "'") else { continue }
            guard let end = text[start.upperBound...].firstIndex(of: "'") else { continue }
            // The client is the only guard and navigator by name; the others are named by their flows.
            guard words == second || text[start.upperBound..<end] == client else { continue }
            return text[..<start.lowerBound] + "'\(new)'" + text[text.index(after: end)...]
        }
        return text
    }
}
