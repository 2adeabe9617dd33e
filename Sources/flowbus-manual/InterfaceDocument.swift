import Foundation
import FoundationXML

/// One file of `dbus/`: an interface with the comments that document it, in the form that gdbus-codegen reads.
struct InterfaceDocument {
    /// Something that has a comment.
    struct Member {
        let kind: String
        let name: String
        /// As in the contract: `s step`.
        let inputs: [String]
        let outputs: [String]
        /// Of a property.
        let type: String
        /// Of a property: how PropertiesChanged reports it, where it does not have the new value.
        let changes: String?
        let comment: Comment
    }

    /// `Name:`, `@argument: text` for each argument, then paragraphs.
    struct Comment {
        let arguments: [(name: String, text: String)]
        let body: [Substring]
    }

    let name: String
    let summary: String
    let body: [Substring]
    let members: [Member]

    init(file: String) throws(ManualError) {
        let text: String
        let nodes: [XMLNode]
        do {
            text = try String(contentsOfFile: file, encoding: .utf8)
            // Without its document type: the parser would look for the file that it names.
            let body = text.range(of: "<node").map { String(text[$0.lowerBound...]) } ?? text
            nodes = try XMLDocument(xmlString: body).rootElement()?.children ?? []
        } catch {
            throw ManualError("\(file): \(error)")
        }
        let interface = try Self.documented(nodes, in: file).first { $0.element.name == "interface" }
        guard let interface else { throw ManualError("\(file): no interface with a comment") }
        name = interface.element.value("name")
        let comment = interface.comment
        summary = comment.arguments.first { $0.name == "short_description" }?.text ?? ""
        body = comment.body
        var members: [Member] = []
        for (element, comment) in try Self.documented(interface.element.children ?? [], in: file) {
            members.append(try Self.member(element, comment, in: file))
        }
        self.members = members
    }

    private static func member(
        _ element: XMLElement, _ comment: Comment, in file: String
    ) throws(ManualError) -> Member {
        let arguments = element.elements(forName: "arg")
        let isSignal = element.name == "signal"
        let names = arguments.map { $0.value("name") }
        guard comment.arguments.map(\.name) == names else {
            throw ManualError(
                "\(file): the comment of \(element.value("name")) has to document these arguments, in order: "
                    + names.joined(separator: ", "))
        }
        func typed(_ isOutput: Bool) -> [String] {
            arguments.filter { !isSignal && ($0.value("direction") == "out") == isOutput || isSignal && !isOutput }
                .map { "\($0.value("type")) \\fI\($0.value("name"))\\fR" }
        }
        guard !comment.arguments.isEmpty || !comment.body.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) else {
            throw ManualError("\(file): the comment of \(element.value("name")) is empty")
        }
        let annotation = element.elements(forName: "annotation").first {
            $0.value("name") == "org.freedesktop.DBus.Property.EmitsChangedSignal"
        }
        let changes = annotation.map { $0.value("value") == "const" ? "constant" : "no PropertiesChanged" }
        return Member(
            kind: element.name ?? "", name: element.value("name"), inputs: typed(false), outputs: typed(true),
            type: element.value("type"), changes: changes, comment: comment)
    }

    /// The elements among these, each with the comment in front of it.
    private static func documented(
        _ nodes: [XMLNode], in file: String
    ) throws(ManualError) -> [(element: XMLElement, comment: Comment)] {
        var found: [(element: XMLElement, comment: Comment)] = []
        var comment: Comment?
        for node in nodes {
            if node.kind == .comment {
                comment = Comment(node.stringValue ?? "")
            } else if let element = node as? XMLElement {
                guard let documentation = comment else {
                    throw ManualError("\(file): \(element.value("name")) has no comment")
                }
                found.append((element, documentation))
                comment = nil
            }
        }
        return found
    }
}

extension InterfaceDocument.Comment {
    init(_ text: String) {
        // Without the first line, the name.
        var rest = text.trimmingCharacters(in: .newlines).split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst()
        var arguments: [(name: String, text: String)] = []
        while let line = rest.first, !line.allSatisfy(\.isWhitespace) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let match = text.firstMatch(of: #/^@([A-Za-z_]+): (.*)$/#) {
                arguments.append((String(match.output.1), String(match.output.2)))
            } else if !arguments.isEmpty {
                arguments[arguments.count - 1].text += " " + text
            }
            rest = rest.dropFirst()
        }
        self.arguments = arguments
        body = rest.map { Substring($0) }
    }
}

extension InterfaceDocument {
    /// The section of a manual page.
    var mdoc: [String] {
        var lines = [".Ss \(name)"] + Markup.sentences(summary + ".")
        lines += [".Pp"] + Markup.mdoc(Markup.blocks(body))
        for (kind, title) in [("method", "Methods"), ("signal", "Signals"), ("property", "Properties")] {
            let members = members.filter { $0.kind == kind }
            guard !members.isEmpty else { continue }
            lines += [".Pp", ".Sy \(title)", ".Bl -tag -width Ds"] + members.flatMap(\.mdoc) + [".El"]
        }
        return lines
    }
}

extension InterfaceDocument.Member {
    private var head: String {
        guard kind != "property" else { return "\\fB\(name)\\fR (\(type)\(changes.map { ", " + $0 } ?? ""))" }
        let answer = outputs.isEmpty ? "" : " \\(-> \(outputs.joined(separator: ", "))"
        return "\\fB\(name)\\fR(\(inputs.joined(separator: ", ")))\(answer)"
    }

    fileprivate var mdoc: [String] {
        var lines = [".It " + head]
        let body = Markup.mdoc(Markup.blocks(comment.body))
        if !comment.arguments.isEmpty {
            lines.append(".Bl -tag -width Ds -compact")
            for argument in comment.arguments {
                lines += [".It \\fI\(argument.name)\\fR"] + Markup.sentences(argument.text + ".")
            }
            lines.append(".El")
            if !body.isEmpty { lines.append(".Pp") }
        }
        return lines + body
    }
}

extension XMLElement {
    fileprivate func value(_ attribute: String) -> String { self.attribute(forName: attribute)?.stringValue ?? "" }
}
