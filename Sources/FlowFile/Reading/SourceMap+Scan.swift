extension SourceMap {
    /// One pass over the bytes of a text.
    struct Scan {
        let bytes: [UInt8]
        var nodes = [KeyNode(line: 1)]
        private var at = 0
        private var line = 1
        /// The number of open brackets.
        private var depth = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Scans the text.
        ///
        /// - Throws: the problem that ended the scan; the nodes found until then stay.
        mutating func run() throws(Problem) {
            if let null = bytes.firstIndex(of: 0) { throw Problem(offset: null, message: Self.nullCharacter) }
            var table = 0
            while true {
                try skipBlank(lines: true)
                guard let byte = peek() else { return }
                if byte == UInt8(ascii: "[") {
                    table = try header()
                } else {
                    try pair(into: table)
                }
                try skipBlank(lines: false)
                guard peek() == nil || peek() == UInt8(ascii: "\n") else { throw unexpected("the end of the line") }
            }
        }

        /// Scans `[a.b]` or `[[a.b]]`. Returns the node that the following pairs belong to.
        private mutating func header() throws(Problem) -> Int {
            let start = line
            at += 1
            let isList = peek() == UInt8(ascii: "[")
            if isList { at += 1 }
            let keys = try dottedKey()
            for _ in 0..<(isList ? 2 : 1) {
                guard peek() == UInt8(ascii: "]") else { throw unexpected("']' after the table's name") }
                at += 1
            }
            var node = 0
            for key in keys { node = child(of: newest(node), key, start) }
            if isList { return item(of: node, start) }
            node = newest(node)
            // The table was implicit until now.
            nodes[node].line = start
            return node
        }

        /// Scans `a.b = value`.
        private mutating func pair(into table: Int) throws(Problem) {
            let start = line
            var node = table
            for key in try dottedKey() { node = child(of: node, key, start) }
            guard peek() == UInt8(ascii: "=") else { throw unexpected("'=' after the key") }
            at += 1
            try skipBlank(lines: false)
            try value(of: node)
        }

        private mutating func value(of node: Int) throws(Problem) {
            switch peek() {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try string(isKey: false)
            case UInt8(ascii: "["):
                try bracketed(by: UInt8(ascii: "]"), lines: true) { (scan) throws(Problem) in
                    try scan.value(of: scan.item(of: node, scan.line))
                }
            case UInt8(ascii: "{"):
                try bracketed(by: UInt8(ascii: "}"), lines: false) { (scan) throws(Problem) in
                    try scan.pair(into: node)
                }
            default: try scalar()
            }
        }

        /// Scans a number, a date, true or false.
        private mutating func scalar() throws(Problem) {
            let start = at
            while let byte = peek(), !",]}#\n".utf8.contains(byte) { at += 1 }
            while at > start, " \t\r".utf8.contains(bytes[at - 1]) { at -= 1 }
            guard at > start else { throw unexpected("a value") }
            guard !SourceMap.isScalar(bytes[start..<at]) else { return }
            let text = Text.quoted(String(decoding: bytes[start..<at], as: UTF8.self))
            throw Problem(
                offset: start,
                message: "\(text) is no value; strings have to be in quotes, and a value is a string, a number, true, "
                    + "false, a date, a list or a table")
        }

        /// Scans the elements of a list, or the pairs of an inline table, which has to be on one line.
        private mutating func bracketed(
            by end: UInt8, lines: Bool, _ element: (inout Scan) throws(Problem) -> Void
        ) throws(Problem) {
            depth += 1
            guard depth <= SourceMap.depthLimit else { throw Problem(offset: at, message: Self.tooDeep) }
            at += 1
            while true {
                try skipBlank(lines: lines)
                if peek() == end { break }
                try element(&self)
                try skipBlank(lines: lines)
                if peek() == end { break }
                guard peek() == UInt8(ascii: ",") else {
                    let place = lines ? "" : ", on the same line"
                    throw unexpected("',' or '\(Unicode.Scalar(end))'" + place)
                }
                at += 1
            }
            at += 1
            depth -= 1
        }

        private mutating func dottedKey() throws(Problem) -> [String] {
            var keys: [String] = []
            while true {
                try skipBlank(lines: false)
                guard keys.count < SourceMap.depthLimit else { throw Problem(offset: at, message: Self.tooDeep) }
                keys.append(try simpleKey())
                try skipBlank(lines: false)
                guard peek() == UInt8(ascii: ".") else { return keys }
                at += 1
            }
        }

        private mutating func simpleKey() throws(Problem) -> String {
            if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") { return try string(isKey: true) }
            let start = at
            while let byte = peek(), Self.isBareKey(byte) { at += 1 }
            guard at > start else { throw unexpected("a key") }
            return String(decoding: bytes[start..<at], as: UTF8.self)
        }

        /// Scans a string. Returns its contents if it is a key.
        private mutating func string(isKey: Bool) throws(Problem) -> String {
            let start = at
            guard let quote = peek() else { throw unexpected("a string") }
            let isBasic = quote == UInt8(ascii: "\"")
            let isLong = peek(1) == quote && peek(2) == quote
            at += isLong ? 3 : 1
            var text: [UInt8] = []
            while let byte = peek() {
                if byte == quote, !isLong || (peek(1) == quote && peek(2) == quote) {
                    at += isLong ? 3 : 1
                    // Up to two quotes can precede the three that end a long string.
                    for _ in 0..<2 where isLong && peek() == quote { at += 1 }
                    return String(decoding: text, as: UTF8.self)
                }
                if byte == UInt8(ascii: "\n") {
                    guard isLong else { throw unexpected("the end of the string") }
                    line += 1
                }
                at += 1
                if isBasic, byte == UInt8(ascii: "\\") {
                    try escape(into: &text)
                } else if isKey {
                    text.append(byte)
                }
            }
            throw Problem(offset: start, message: "the string that begins here has no end")
        }

        /// Scans an escape sequence after its backslash.
        private mutating func escape(into text: inout [UInt8]) throws(Problem) {
            guard let code = peek() else { throw unexpected("the rest of the string") }
            if code == UInt8(ascii: "\n") { line += 1 }
            at += 1
            switch code {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"):
                let length = code == UInt8(ascii: "x") ? 2 : code == UInt8(ascii: "u") ? 4 : 8
                let digits = String(decoding: bytes[at..<min(at + length, bytes.count)], as: UTF8.self)
                guard digits.utf8.count == length, digits.utf8.allSatisfy(Self.isHexDigit),
                    let number = UInt32(digits, radix: 16)
                else { throw unexpected("\(length) hexadecimal digits") }
                guard number != 0 else { throw Problem(offset: at - 2, message: Self.nullCharacter) }
                guard let scalar = Unicode.Scalar(number) else { throw unexpected("the number of a character") }
                text += Array(String(scalar).utf8)
                at += length
            default: text.append(code)
            }
        }

        /// Skips spaces, and line ends and comments where the structure can continue on the next line.
        private mutating func skipBlank(lines: Bool) throws(Problem) {
            while let byte = peek() {
                switch byte {
                case UInt8(ascii: " "), UInt8(ascii: "\t"): at += 1
                case UInt8(ascii: "\r"):
                    guard peek(1) == UInt8(ascii: "\n") else { throw unexpected("a line end") }
                    at += 1
                case UInt8(ascii: "\n"):
                    guard lines else { return }
                    line += 1
                    at += 1
                case UInt8(ascii: "#"):
                    while let byte = peek(), byte != UInt8(ascii: "\n") { at += 1 }
                default: return
                }
            }
        }

        private func peek(_ ahead: Int = 0) -> UInt8? {
            at + ahead < bytes.count ? bytes[at + ahead] : nil
        }

        private static let tooDeep = "nested too deep; at most \(SourceMap.depthLimit) levels are allowed"
        private static let nullCharacter = "the character U+0000 is not allowed"

        private func unexpected(_ expected: String) -> Problem {
            var seen = "the end of the file"
            if let byte = peek() {
                // The text is valid UTF-8, and everything before this position is ASCII or was consumed whole.
                let character = String(decoding: bytes[at..<min(at + 4, bytes.count)], as: UTF8.self)
                    .unicodeScalars.first
                seen = byte == UInt8(ascii: "\n") ? "the end of the line" : character.map { "'\($0)'" } ?? seen
            }
            return Problem(offset: at, message: "expected \(expected), saw \(seen)")
        }

        /// Returns the table that a header's key continues from: in a list of tables, the newest.
        private func newest(_ node: Int) -> Int { nodes[node].items.last ?? node }

        private mutating func child(of node: Int, _ key: String, _ line: Int) -> Int {
            if let child = nodes[node].children[key] { return child }
            nodes.append(KeyNode(line: line))
            nodes[node].children[key] = nodes.count - 1
            return nodes.count - 1
        }

        private mutating func item(of node: Int, _ line: Int) -> Int {
            nodes.append(KeyNode(line: line))
            nodes[node].items.append(nodes.count - 1)
            return nodes.count - 1
        }

        private static func isHexDigit(_ byte: UInt8) -> Bool {
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
}
