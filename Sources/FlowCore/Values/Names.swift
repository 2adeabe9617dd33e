/// The rules for names, and suggestions for mistyped ones.
///
/// Source: the bus contract, "Names and ids".
public enum Names {
    /// Returns whether the text is a valid name of a screen or a flow, or a valid id: `[A-Za-z_][A-Za-z0-9_]*`, at most
    /// 64 bytes, so that it can be part of an object path.
    public static func isPresentableName(_ text: String) -> Bool {
        isName(text, atMost: Limits.nameLength) { $0 == UInt8(ascii: "_") }
            && text.utf8.first.map(isDigit) == false
    }

    /// The rule of ``isPresentableName(_:)`` in words.
    public static let presentableNameRule = "letters, digits and '_', not beginning with a digit, at most 64 bytes"

    /// Returns whether the text is a valid name of a step: `[A-Za-z][A-Za-z0-9_.-]*`, at most 128 bytes.
    public static func isStepName(_ text: String) -> Bool {
        isName(text, atMost: Limits.stepNameLength) {
            $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        } && text.utf8.first.map(isLetter) == true
    }

    /// Returns whether a text has only letters, digits and these other characters.
    private static func isName(_ text: String, atMost length: Int, _ isOther: (UInt8) -> Bool) -> Bool {
        var text = text
        return text.utf8.count <= length
            && text.withUTF8 { $0.allSatisfy { isLetter($0) || isDigit($0) || isOther($0) } }
    }

    /// The rule of ``isStepName(_:)`` in words.
    public static let stepNameRule = "a letter, then letters, digits, '_', '.' and '-', at most 128 bytes"

    /// Returns whether the text is a valid object path (D-Bus specification, "Valid Object Paths").
    public static func isObjectPath(_ text: String) -> Bool {
        if text == "/" { return true }
        guard text.hasPrefix("/") else { return false }
        return text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
        }
    }

    /// Returns whether the text is a valid name of an output: a word of at most 64 bytes (S-41).
    public static func isOutput(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.outputLength
            && text.unicodeScalars.allSatisfy { isPlain($0) && !$0.properties.isWhitespace }
    }

    /// The rule of ``isOutput(_:)`` in words.
    public static let outputRule = "a word without spaces, at most 64 bytes"

    /// Returns why a text can't be the name of an output; nil if it can.
    ///
    /// - Parameter canBeNone: whether it can also be empty, for none.
    public static func problem(output: String, canBeNone: Bool = true) -> String? {
        if isOutput(output) || canBeNone && output.isEmpty { return nil }
        return "'\(escaped(output))' can't be the name of an output: \(outputRule)"
            + (canBeNone ? ", or empty for none" : "")
    }

    /// Returns whether a text matches a pattern, in which `*` stands for any text and `?` for one character.
    public static func matches(_ text: String, _ pattern: String) -> Bool {
        let (text, pattern) = (Array(text.unicodeScalars), Array(pattern.unicodeScalars))
        var (place, next) = (0, 0)
        // The latest `*`, and the place up to which it stands for the text.
        var star: (next: Int, place: Int)?
        while place < text.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next + 1, place)
                next += 1
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[place] {
                (place, next) = (place + 1, next + 1)
            } else if let last = star {
                star = (last.next, last.place + 1)
                (place, next) = (last.place + 1, last.next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }

    /// Returns the part of an id that stands for an output: `HDMI_A_1` for `HDMI-A-1`. Of a name with other characters, or a longer one,
    /// the end is a digest, so that no two names have the same part.
    static func idPart(of output: String, atMost length: Int) -> String {
        let isPlain = output.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        let part = String(
            decoding: output.utf8.map { isLetter($0) || isDigit($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        if isPlain, part.utf8.count <= length { return part }
        // FNV-1a.
        let hash = output.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        let digest = String(hash, radix: 16)
        return part.prefix(max(0, length - 9)) + "_" + String(repeating: "0", count: 8 - digest.count) + digest
    }

    /// Returns a text from outside for use in a message: escaped into one line, and truncated to the length of the
    /// longest name.
    public static func escaped(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < Limits.stepNameLength else { return line + "…" }
            line += isPlain(scalar) ? String(scalar) : scalar.escaped(asASCII: true)
        }
        return line
    }

    /// `'a', 'b' and 'c'`
    public static func list(_ names: some Sequence<String>, _ last: String = "and") -> String {
        let quoted = names.map { "'\($0)'" }
        guard let end = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " \(last) " + end
    }

    /// Returns the error of another process for use in a message: its name in quotes, and its text if it has one.
    ///
    /// Of a long text, the beginning and the end are quoted: libraries of several languages send the trace of an exception, whose
    /// last line says what is wrong.
    public static func error(_ name: String, _ text: String) -> String {
        var text = text.unicodeScalars[...]
        while text.last?.properties.isWhitespace == true { text.removeLast() }
        let quoted = shortened(String(text), to: Limits.quotedErrorLength).unicodeScalars
        if quoted.isEmpty { return "'\(escaped(name))'" }
        return quoted.reduce(into: "'\(escaped(name))': ") { line, scalar in
            line += isPlain(scalar) ? String(scalar) : scalar.escaped(asASCII: true)
        }
    }

    /// Returns a text, or if it has more bytes, a quarter of so many from its beginning and the others from its end.
    static func shortened(_ text: String, to length: Int) -> String {
        guard text.utf8.count > length else { return text }
        let gap = " … "
        var (first, last) = (String.UnicodeScalarView(), [Unicode.Scalar]())
        var room = length / 4
        for scalar in text.unicodeScalars {
            room -= scalar.utf8.count
            guard room >= 0 else { break }
            first.append(scalar)
        }
        room = length - first.reduce(0) { $0 + $1.utf8.count } - gap.utf8.count
        for scalar in text.unicodeScalars.reversed() {
            room -= scalar.utf8.count
            guard room >= 0 else { break }
            last.append(scalar)
        }
        return String(first) + gap + String(String.UnicodeScalarView(last.reversed()))
    }

    /// Returns whether a character affects neither the end of the line nor the direction of the text.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Returns whether D-Bus allows a text as the name of an interface, or of an error.
    public static func isInterface(_ text: String) -> Bool {
        let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && elements.count >= 2 && elements.allSatisfy(isMember)
    }

    /// Returns whether D-Bus allows a text as an element of an interface's name, or, if it is short enough, as the name of a member.
    public static func isMember(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, !isDigit(first) else { return false }
        return text.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns the candidate that a mistyped name most likely meant, or nil if none is near: ``SimilarNames/nearest(to:)``.
    public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        SimilarNames(candidates).nearest(to: name)
    }

    /// Returns `; did you mean 'NAME'?`, or nothing if no candidate is near, as the end of a message.
    public static func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
        SimilarNames(candidates).suggestion(for: name)
    }
}
