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

    /// Returns whether the text is a valid name of an output: a word of at most 64 bytes (S-41).
    public static func isOutput(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.outputLength
            && text.unicodeScalars.allSatisfy { isPlain($0) && !$0.properties.isWhitespace }
    }

    /// The rule of ``isOutput(_:)`` in words.
    public static let outputRule = "a word without spaces, at most 64 bytes"

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

    /// Returns whether a character affects neither the end of the line nor the direction of the text.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns the candidate that a mistyped name most likely meant, or nil if none is near. The nearest has the fewest
    /// insertions, removals, replacements and swaps of neighbors, without regard to case, and at most a third of the
    /// name's length of them. Of equals, the first wins.
    public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        // No valid name is longer, and the work grows with the square of the length.
        guard name.utf8.count <= 2 * Limits.stepNameLength else { return nil }
        let typed = Array(name.lowercased().utf8)
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            let meant = Array(candidate.lowercased().utf8)
            let length = max(typed.count, meant.count)
            // Any letter is one replacement away from any other, so a single letter has to match exactly.
            let bound = min(best.map { $0.distance - 1 } ?? .max, length < 2 ? 0 : max(1, length / 3))
            guard abs(typed.count - meant.count) <= bound else { continue }
            let distance = distance(typed, meant)
            if distance <= bound { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Returns `; did you mean 'NAME'?`, or nothing if no candidate is near, as the end of a message.
    public static func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
        nearest(to: name, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The optimal string alignment distance.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in b.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
