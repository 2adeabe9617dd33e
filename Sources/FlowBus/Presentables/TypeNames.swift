/// The names that types have in the tree and on the bus, if they declare none.
///
/// A name is made of letters, digits and `_`, as it is part of object paths. It has all that tells types apart but the module, so
/// that it stays the same when a type moves to another one: `Movies.Detail` is `Movies_Detail`, `Page<Movie>` is `Page_Movie`. Of
/// other characters each byte is `_` and two hexadecimal digits, as in names that sd-bus encodes: `Größe` is `Gr_c3_b6_c3_9fe`.
@FlowActor
package enum TypeNames {
    /// A name is needed for each child that a flow contributes.
    private static var known: [ObjectIdentifier: String] = [:]

    /// The name of a type.
    package static func name(of type: Any.Type) -> String {
        let id = ObjectIdentifier(type)
        let name = known[id] ?? name(source(of: type))
        known[id] = name
        return name
    }

    /// The type for messages, with its module and the types around it: `Main.Movies.Detail`.
    nonisolated static func source(of type: Any.Type) -> String {
        var text = String(reflecting: type)
        // The context of a private or local type, with an address, and an extension in another module.
        for (start, end) in [("(unknown context at ", ")."), ("(extension in ", "):")] {
            while let context = text.firstRange(of: start),
                let rest = text[context.upperBound...].firstRange(of: end)
            {
                text.removeSubrange(context.lowerBound..<rest.upperBound)
            }
        }
        return text.replacing("()", with: "Void")
    }

    /// The message for two types of one name. What is to be done comes first, as the service cuts long messages.
    nonisolated static func collision(
        _ known: Any.Type, _ type: Any.Type, _ name: String, _ declaration: String
    ) -> String {
        "declare '\(declaration)' in '\(source(of: type))': the \(name) is '\(source(of: known))'"
    }

    /// Makes a name of a type as it is in source: `Main.Page<Swift.Int>`.
    nonisolated static func name(_ source: String) -> String {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        // Whether a word begins a qualified name, and so is the module if a dot follows.
        var isFirst = true
        for character in source.unicodeScalars {
            switch character {
            case "`": isQuoted.toggle()
            case _ where isQuoted || isPart(character): word += encoded(character)
            default:
                if !word.isEmpty, !(isFirst && character == ".") { words.append(word) }
                isFirst = character != "."
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        let name = words.joined(separator: "_")
        guard let first = name.unicodeScalars.first, isDigit(first) else { return name }
        return escaped(first) + name.dropFirst()
    }

    private nonisolated static func isDigit(_ character: Unicode.Scalar) -> Bool { ("0"..."9").contains(character) }

    /// Whether a character stands in names without quotes.
    private nonisolated static func isPart(_ character: Unicode.Scalar) -> Bool {
        isPlain(character) || !character.isASCII
    }

    private nonisolated static func isPlain(_ character: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(character) || ("A"..."Z").contains(character) || isDigit(character) || character == "_"
    }

    private nonisolated static func encoded(_ character: Unicode.Scalar) -> String {
        // Swift writes a space in a quoted name as one that does not break.
        isPlain(character) ? String(character) : escaped(character == "\u{a0}" ? " " : character)
    }

    private nonisolated static func escaped(_ character: Unicode.Scalar) -> String {
        UTF8.encode(character).map { byte in
            byte.map { "_" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        } ?? ""
    }
}
