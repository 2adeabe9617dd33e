import FlowCore

/// Keys, strings, and what is between.
extension TomlParser {
    /// A key, and where it begins.
    struct NextKey {
        let name: String
        let offset: Int
    }

    /// Parses one of the keys between dots, and the spaces around it.
    mutating func nextKey(_ number: Int) throws(Problem) -> NextKey {
        try skipBlank(lines: false)
        guard number <= TomlSource.depthLimit else { throw Problem(offset: at, message: Self.tooDeep) }
        let start = at
        let name: String
        if let quote = peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            if peek(1) == quote, peek(2) == quote {
                throw Problem(
                    offset: at, message: "a key can't be a string over lines; one quote before and after it is enough")
            }
            name = try string()
        } else {
            while at < bytes.count, Self.isBareKey(bytes[at]) { at += 1 }
            guard at > start else { throw unexpected("a key") }
            name = String(decoding: bytes[start..<at], as: UTF8.self)
        }
        try skipBlank(lines: false)
        return NextKey(name: name, offset: start)
    }

    /// Parses a string in quotes.
    mutating func string() throws(Problem) -> String {
        let start = at
        guard let quote = peek() else { throw unexpected("a string") }
        let isBasic = quote == UInt8(ascii: "\"")
        if peek(1) == quote, peek(2) == quote {
            at += 3
            return try longString(quote, isBasic, start)
        }
        at += 1
        // What precedes the first escape sequence, if there is one, is a part of the text.
        while at < bytes.count, bytes[at] != quote, bytes[at] != UInt8(ascii: "\\") || !isBasic {
            try checkCharacter()
            at += 1
        }
        if peek() == quote {
            at += 1
            return String(decoding: bytes[(start + 1)..<(at - 1)], as: UTF8.self)
        }
        var text = Array(bytes[(start + 1)..<at])
        while at < bytes.count {
            let byte = bytes[at]
            if byte == quote {
                at += 1
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                at += 1
                try escape(into: &text)
            } else {
                try checkCharacter()
                text.append(byte)
                at += 1
            }
        }
        throw endless(start)
    }

    /// Parses a string over lines, after its quotes.
    private mutating func longString(_ quote: UInt8, _ isBasic: Bool, _ start: Int) throws(Problem) -> String {
        var text: [UInt8] = []
        // A line end after the quotes is no part of the text.
        _ = try skipLineEnd()
        while at < bytes.count {
            let byte = bytes[at]
            if byte == quote, peek(1) == quote, peek(2) == quote {
                at += 3
                // Up to two quotes can precede the three that end the string.
                for _ in 0..<2 where peek() == quote {
                    text.append(quote)
                    at += 1
                }
                return String(decoding: text, as: UTF8.self)
            }
            if try skipLineEnd() {
                text.append(UInt8(ascii: "\n"))
            } else if isBasic, byte == UInt8(ascii: "\\") {
                at += 1
                if try !skipLines() { try escape(into: &text) }
            } else {
                try checkCharacter()
                text.append(byte)
                at += 1
            }
        }
        throw endless(start)
    }

    private func endless(_ start: Int) -> Problem {
        Problem(offset: start, message: "the string that begins here has no end")
    }

    /// Skips a line end. Returns whether there is one.
    private mutating func skipLineEnd() throws(Problem) -> Bool {
        if peek() == UInt8(ascii: "\r") {
            guard peek(1) == UInt8(ascii: "\n") else { throw unexpected("a line end") }
            at += 1
        }
        guard peek() == UInt8(ascii: "\n") else { return false }
        line += 1
        at += 1
        return true
    }

    /// Skips all spaces and line ends after a backslash at the end of a line. Returns whether it is there.
    private mutating func skipLines() throws(Problem) -> Bool {
        guard let byte = peek(), " \t\r\n".utf8.contains(byte) else { return false }
        skipSpaces()
        guard try skipLineEnd() else { throw unexpected("the end of the line after the backslash") }
        repeat { skipSpaces() } while try skipLineEnd()
        return true
    }

    private mutating func skipSpaces() {
        while let byte = peek(), byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") { at += 1 }
    }

    /// Parses an escape sequence after its backslash.
    private mutating func escape(into text: inout [UInt8]) throws(Problem) {
        guard let code = peek() else { throw unexpected("the rest of the string") }
        switch code {
        case UInt8(ascii: "e"):
            needsNewer("'\\e' in a string", at: at - 1)
            text.append(0x1B)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(code)
        case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"):
            let length = code == UInt8(ascii: "x") ? 2 : code == UInt8(ascii: "u") ? 4 : 8
            if length == 2 { needsNewer("'\\x' in a string", at: at - 1) }
            at += 1
            let digits = bytes[at..<min(at + length, bytes.count)]
            guard digits.count == length, digits.allSatisfy(Self.isHexDigit),
                let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw unexpected("\(length) hexadecimal digits") }
            guard number != 0 else { throw Problem(offset: at - 2, message: Self.nullCharacter) }
            guard let scalar = Unicode.Scalar(number) else { throw unexpected("the number of a character") }
            text += String(scalar).utf8
            at += length
            return
        default:
            throw unexpected(
                "one of '\\b', '\\t', '\\n', '\\f', '\\r', '\\e', '\\\"', '\\\\', '\\xXX', '\\uXXXX' and '\\UXXXXXXXX' (a backslash "
                    + "itself is written twice)")
        }
        at += 1
    }

    /// Refuses control characters, which strings and comments can't have, except for tabs.
    private func checkCharacter() throws(Problem) {
        let byte = bytes[at]
        guard byte < 0x20 || byte == 0x7F, byte != UInt8(ascii: "\t") else { return }
        if byte == UInt8(ascii: "\n") { throw unexpected("the end of the string") }
        throw Problem(
            offset: at,
            message:
                "the control character U+\(Self.hexadecimal(byte)) is not allowed here; in a string in double quotes, "
                + "'\\u\(Self.hexadecimal(byte))' stands for it")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Skips spaces, and line ends and comments where the structure can continue on the next line.
    mutating func skipBlank(lines: Bool) throws(Problem) {
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): at += 1
            case UInt8(ascii: "\r"):
                guard peek(1) == UInt8(ascii: "\n") else { throw unexpected("a line end") }
                at += 1
            case UInt8(ascii: "\n"):
                guard lines else { return }
                line += 1
                at += 1
            case UInt8(ascii: "#"):
                while at < bytes.count, bytes[at] != UInt8(ascii: "\n") {
                    if bytes[at] != UInt8(ascii: "\r") || peek(1) != UInt8(ascii: "\n") { try checkCharacter() }
                    at += 1
                }
            default: return
            }
        }
    }

    func peek(_ ahead: Int = 0) -> UInt8? {
        at + ahead < bytes.count ? bytes[at + ahead] : nil
    }

    static let tooDeep = "nested too deep; at most \(TomlSource.depthLimit) levels are allowed"
    static let nullCharacter = "the character U+0000 is not allowed"

    func unexpected(_ expected: String) -> Problem {
        var seen = "the end of the file"
        if let byte = peek() {
            // The text is valid UTF-8, and everything before this position is ASCII or was consumed whole.
            let character = String(decoding: bytes[at..<min(at + 4, bytes.count)], as: UTF8.self)
                .unicodeScalars.first
            seen = byte == UInt8(ascii: "\n") ? "the end of the line" : character.map { "'\($0)'" } ?? seen
        }
        return Problem(offset: at, message: "expected \(expected), saw \(seen)")
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    static func isBareKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
