import FlowCore

/// Values other than strings and brackets.
///
/// Source: TOML 1.1.0, "Integer", "Float", "Boolean", "Offset Date-Time" and the following sections.
extension TomlParser {
    /// Parses a number, a date, true or false.
    mutating func scalar() throws(Problem) -> Toml {
        let start = at
        while let byte = peek(), !",]}#\n".utf8.contains(byte) { at += 1 }
        while at > start, " \t\r".utf8.contains(bytes[at - 1]) { at -= 1 }
        guard at > start else { throw unexpected("a value") }
        let text = bytes[start..<at]
        if let value = Self.scalar(text) {
            if case .date = value, !ScalarText.hasSeconds(text) { needsNewer("a time without seconds", at: start) }
            return value
        }
        let quoted = Text.quoted(String(decoding: text, as: UTF8.self))
        if Self.isScalar(text) {
            throw Problem(
                offset: start,
                message: "\(quoted) is out of range; numbers have 64 bits, and a date or time has to exist")
        }
        throw Problem(
            offset: start,
            message: "\(quoted) is no value; strings have to be in quotes, and a value is a string, a number, true, "
                + "false, a date, a list or a table")
    }

    /// Returns whether the text has the form of a number, a date or time, true or false.
    static func isScalar(_ text: ArraySlice<UInt8>) -> Bool {
        // No sensible value is longer.
        guard text.count <= 100 else { return false }
        for word in ["true", "false"] where text.elementsEqual(word.utf8) { return true }
        var rest = ScalarText(rest: text)
        return rest.isNumber() || rest.isPrefixedInteger() || rest.isDateOrTime()
    }

    /// Returns the value; nil if the text has no such form, or is out of range.
    private static func scalar(_ text: ArraySlice<UInt8>) -> Toml? {
        guard text.count <= 100 else { return nil }
        if text.elementsEqual("true".utf8) { return .bool(true) }
        if text.elementsEqual("false".utf8) { return .bool(false) }
        var rest = ScalarText(rest: text)
        if rest.isNumber() { return number(of: text) }
        if rest.isPrefixedInteger() {
            let radix =
                text.dropFirst().first == UInt8(ascii: "x") ? 16 : text.dropFirst().first == UInt8(ascii: "o") ? 8 : 2
            return Int(plain(text.dropFirst(2)), radix: radix).map(Toml.integer)
        }
        return rest.isDateOrTime() && rest.exists() ? .date(String(decoding: text, as: UTF8.self)) : nil
    }

    private static func number(of text: ArraySlice<UInt8>) -> Toml? {
        let digits = plain(text)
        if !text.contains(where: { ".eEin".utf8.contains($0) }) { return Int(digits).map(Toml.integer) }
        guard let number = Double(digits) else { return nil }
        // A number that is too large becomes infinity; one that is too small becomes zero, which is near enough.
        if number.isInfinite, !text.contains(UInt8(ascii: "i")) { return nil }
        return .double(number)
    }

    /// Returns the text without the underscores between digits.
    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
    }
}

/// The rest of a value. Each method starts at the front and returns whether it matches the whole.
private struct ScalarText {
    let rest: ArraySlice<UInt8>
    private var at: Int

    init(rest: ArraySlice<UInt8>) {
        self.rest = rest
        at = rest.startIndex
    }

    private var isAtEnd: Bool { at == rest.endIndex }

    /// `-1_000`, `+1.5e-3`, `inf`
    mutating func isNumber() -> Bool {
        at = rest.startIndex
        _ = skip("+") || skip("-")
        if skip("inf") || skip("nan") { return isAtEnd }
        // Leading zeros are invalid, except for zero itself.
        guard skip("0") || digits(isDecimal) else { return false }
        if skip("."), !digits(isDecimal) { return false }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            guard digits(isDecimal) else { return false }
        }
        return isAtEnd
    }

    /// `0xFF_FF`, `0o755`, `0b10`
    mutating func isPrefixedInteger() -> Bool {
        at = rest.startIndex
        if skip("0x") {
            return digits { isDecimal($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20) } && isAtEnd
        }
        if skip("0o") { return digits { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) } && isAtEnd }
        return skip("0b") && digits { $0 | 1 == UInt8(ascii: "1") } && isAtEnd
    }

    /// `1979-05-27T07:32:00.5Z`, or only the date or the time
    mutating func isDateOrTime() -> Bool {
        at = rest.startIndex
        if time() { return isAtEnd }
        at = rest.startIndex
        guard fixed("dddd-dd-dd") else { return false }
        if isAtEnd { return true }
        guard skip("T") || skip("t") || skip(" "), time() else { return false }
        if isAtEnd || skip("Z") || skip("z") { return isAtEnd }
        return (skip("+") || skip("-")) && fixed("dd:dd") && isAtEnd
    }

    /// Whether a date or time exists. Its form was checked.
    func exists() -> Bool {
        let parts = rest.split { !isDecimal($0) }.map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        var (date, time) = (ArraySlice<Int>(), parts[...])
        if rest.dropFirst(2).first != UInt8(ascii: ":") { (date, time) = (parts.prefix(3), parts.dropFirst(3)) }
        if date.count == 3 {
            let (year, month, day) = (date[0], date[1], date[2])
            guard (1...12).contains(month) else { return false }
            let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let days = month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
            guard (1...days).contains(day) else { return false }
        }
        // The offset has hours and minutes, too.
        let hasOffset = rest.dropFirst(11).contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        let offset = hasOffset ? time.suffix(2) : []
        time = time.dropLast(offset.count)
        let isInDay = time.isEmpty || zip(time, [23, 59, 59]).allSatisfy { $0 <= $1 }
        return isInDay && zip(offset, [23, 59]).allSatisfy { $0 <= $1 }
    }

    /// Whether a date or time, whose form was checked, has seconds if it has a time.
    static func hasSeconds(_ text: ArraySlice<UInt8>) -> Bool {
        let isTime = text.dropFirst(2).first == UInt8(ascii: ":")
        // After the date and what is between.
        var time = ScalarText(rest: isTime ? text : text.dropFirst(11))
        if time.isAtEnd { return true }
        return time.fixed("dd:dd:dd")
    }

    /// Skips `07:32:00.5`. Only what has seconds can have a fraction.
    private mutating func time() -> Bool {
        guard fixed("dd:dd") else { return false }
        guard skip(":") else { return true }
        guard fixed("dd") else { return false }
        return !skip(".") || digits(isDecimal, separated: false)
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest[at...].starts(with: text.utf8) else { return false }
        at += text.utf8.count
        return true
    }

    /// Skips text of this form, in which `d` is a digit.
    private mutating func fixed(_ form: String) -> Bool {
        for code in form.utf8 {
            guard at < rest.endIndex, code == UInt8(ascii: "d") ? isDecimal(rest[at]) : rest[at] == code else {
                return false
            }
            at += 1
        }
        return true
    }

    /// Skips at least one digit; underscores may be between digits only.
    private mutating func digits(_ isDigit: (UInt8) -> Bool, separated: Bool = true) -> Bool {
        guard at < rest.endIndex, isDigit(rest[at]) else { return false }
        while at < rest.endIndex {
            if isDigit(rest[at]) {
                at += 1
            } else if separated, rest[at] == UInt8(ascii: "_"), at + 1 < rest.endIndex, isDigit(rest[at + 1]) {
                at += 2
            } else {
                break
            }
        }
        return true
    }
}

private func isDecimal(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
