/// The rules for names, and the help for those who mistype one.
///
/// Source: the bus contract, "Names and ids".
public enum Names {
    /// Whether the text can be the name of a screen or a flow, or an id: `[A-Za-z_][A-Za-z0-9_]*`, at most 64 bytes,
    /// so that it can stand in an object path as it is.
    public static func isPresentableName(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= Limits.nameLength
            && text.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "_") } == true
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// What ``isPresentableName(_:)`` asks for, in words.
    public static let presentableNameRule = "letters, digits and '_', not beginning with a digit, at most 64 bytes"

    /// Whether the text can be the name of a step: `[A-Za-z][A-Za-z0-9_.-]*`, at most 128 bytes.
    public static func isStepName(_ text: some StringProtocol) -> Bool {
        text.utf8.count <= Limits.stepNameLength
            && text.utf8.first.map(isLetter) == true
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_.-".utf8.contains($0) }
    }

    /// What ``isStepName(_:)`` asks for, in words.
    public static let stepNameRule = "a letter, then letters, digits, '_', '.' and '-', at most 128 bytes"

    /// A text from outside for a message to a person: in one line, and cut where it is longer than any name can be.
    public static func escaped(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < Limits.stepNameLength else { return line + "…" }
            line += isPlain(scalar) ? String(scalar) : scalar.escaped(asASCII: true)
        }
        return line
    }

    /// Whether a character changes nothing but its own place in a line: not where it ends, nor which way it runs.
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

    /// The candidate that a mistyped name most likely meant, or nil where none is near: the fewest insertions,
    /// removals, replacements and swaps of neighbours, upper and lower case taken as the same, and at most a third of
    /// the name's length. The first of equals.
    public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        // Nobody mistypes a name longer than any name can be; and the work grows with the square of the length.
        guard name.utf8.count <= 2 * Limits.stepNameLength else { return nil }
        let typed = Array(name.lowercased().utf8)
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            let meant = Array(candidate.lowercased().utf8)
            let length = max(typed.count, meant.count)
            // Any letter is near to any other, so one letter means itself alone.
            let bound = min(best.map { $0.distance - 1 } ?? .max, length < 2 ? 0 : max(1, length / 3))
            guard abs(typed.count - meant.count) <= bound else { continue }
            let distance = distance(typed, meant)
            if distance <= bound { best = (candidate, distance) }
        }
        return best?.name
    }

    /// `; did you mean 'NAME'?`, or nothing where no candidate is near: to stand at the end of an error's text.
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
