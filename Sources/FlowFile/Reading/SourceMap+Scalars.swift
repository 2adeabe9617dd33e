/// The grammar of TOML's values other than strings and brackets.
///
/// Source: TOML 1.0.0, "Integer", "Float", "Boolean", "Offset Date-Time" and the following sections. The parser checks
/// ranges.
extension SourceMap {
    /// Returns whether the text is a number, a date or time, true or false.
    static func isScalar(_ text: ArraySlice<UInt8>) -> Bool {
        // No sensible value is longer, and the parser looks no further than 127 characters ahead.
        guard text.count <= 100 else { return false }
        for word in ["true", "false"] where text.elementsEqual(word.utf8) { return true }
        var rest = ScalarText(rest: text)
        return rest.isNumber() || rest.isPrefixedInteger() || rest.isDateOrTime()
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
        if fixed("dd:dd:dd") { return fraction() && isAtEnd }
        at = rest.startIndex
        guard fixed("dddd-dd-dd") else { return false }
        if isAtEnd { return true }
        guard skip("T") || skip("t") || skip(" "), fixed("dd:dd:dd"), fraction() else { return false }
        if isAtEnd || skip("Z") || skip("z") { return isAtEnd }
        return (skip("+") || skip("-")) && fixed("dd:dd") && isAtEnd
    }

    private mutating func fraction() -> Bool { !skip(".") || digits(isDecimal, separated: false) }

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
