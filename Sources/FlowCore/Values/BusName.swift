/// Well-known names on the bus.
///
/// Source: D-Bus specification, "Valid Names".
public enum BusName {
    /// The object path that no message may have: a bus disconnects the sender of one.
    ///
    /// Source: D-Bus specification, "Message Format", the header field PATH.
    public static let reservedPath = "/org/freedesktop/DBus/Local"

    /// Returns what is wrong with a text as a well-known name, and what would be right; nil if it is valid.
    public static func problem(of text: String) -> String? {
        if text.hasPrefix(":") {
            return "'\(Names.escaped(text))' is the unique name of one connection, and the next connection of the same "
                + "program has another; it has to be a well-known name, such as 'com.vendor.Pay'"
        }
        let elements = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isValid = text.utf8.count <= 255 && elements.count >= 2 && elements.allSatisfy(isElement)
        return isValid
            ? nil
            : "'\(Names.escaped(text))' can't be a well-known bus name: two or more parts with dots between them, each "
                + "of letters, digits, '_' and '-', not beginning with a digit, at most 255 bytes in all"
    }

    private static func isElement(_ element: Substring.UTF8View) -> Bool {
        guard let first = element.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return element.allSatisfy { Names.isLetter($0) || Names.isDigit($0) || "_-".utf8.contains($0) }
    }
}
