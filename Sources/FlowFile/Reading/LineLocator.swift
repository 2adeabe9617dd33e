/// Tells on which line of a TOML text a key or an element of an array stands.
///
/// The parser that is used knows, but does not tell. This reads the text once more, following its structure alone. It
/// relies on a text that the parser has taken; of another it tells nonsense, but it comes to an end and never fails.
struct LineLocator {
    private var lines: [[Place.Part]: Int] = [:]

    init(_ text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        scanner.scan()
        lines = scanner.lines
    }

    subscript(path: [Place.Part]) -> Int? { lines[path] }
}

private struct Scanner {
    let bytes: [UInt8]
    var position = 0
    var line = 1
    var lines: [[Place.Part]: Int] = [:]
    /// How many elements arrays of tables (`[[…]]`) have so far.
    private var counts: [[Place.Part]: Int] = [:]

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isNext(_ text: StaticString) -> Bool {
        bytes[position...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    private mutating func note(_ path: [Place.Part]) {
        if lines[path] == nil { lines[path] = line }
    }

    mutating func scan() {
        var table: [Place.Part] = []
        while true {
            skipBlank()
            guard let byte = next else { return }
            if byte == UInt8(ascii: "[") {
                table = header()
            } else {
                pair(in: table, depth: 0)
            }
        }
    }

    /// `[a.b]` or `[[a.b]]`: the path of what follows.
    private mutating func header() -> [Place.Part] {
        let isArray = isNext("[[")
        advance(isArray ? 2 : 1)
        var path: [Place.Part] = []
        let keys = dottedKey(until: UInt8(ascii: "]"))
        for (place, key) in keys.enumerated() {
            path.append(.key(key))
            if isArray && place == keys.count - 1 {
                let index = counts[path, default: 0]
                counts[path] = index + 1
                note(path)
                path.append(.index(index))
            } else if let count = counts[path] {
                // A header below an array of tables belongs to its latest element.
                path.append(.index(count - 1))
            }
            note(path)
        }
        while let byte = next, byte != UInt8(ascii: "\n") { advance() }
        return path
    }

    /// `key = value`
    private mutating func pair(in table: [Place.Part], depth: Int) {
        let (start, startLine) = (position, line)
        let keys = dottedKey(until: UInt8(ascii: "="))
        var path = table
        for key in keys {
            path.append(.key(key))
            if lines[path] == nil { lines[path] = startLine }
        }
        if next == UInt8(ascii: "=") { advance() }
        value(at: path, depth: depth)
        // Whatever this was, the next turn has to begin further on.
        if position == start { advance() }
    }

    private mutating func value(at path: [Place.Part], depth: Int) {
        skipBlank()
        guard let byte = next, depth < 300 else { return advance() }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = quoted()
        case UInt8(ascii: "["):
            advance()
            var index = 0
            while let byte = nextAfterBlank(), byte != UInt8(ascii: "]") {
                if byte == UInt8(ascii: ",") {
                    advance()
                    continue
                }
                note(path + [.index(index)])
                value(at: path + [.index(index)], depth: depth + 1)
                index += 1
            }
            advance()
        case UInt8(ascii: "{"):
            advance()
            while let byte = nextAfterBlank(), byte != UInt8(ascii: "}") {
                if byte == UInt8(ascii: ",") { advance() } else { pair(in: path, depth: depth + 1) }
            }
            advance()
        default:
            let start = position
            while let byte = next, !",]}#\n".utf8.contains(byte) { advance() }
            if position == start { advance() }
        }
    }

    /// `a."b c".d`, up to what ends it.
    private mutating func dottedKey(until end: UInt8) -> [String] {
        var keys: [String] = []
        var bare: [UInt8] = []
        func take() {
            if !bare.isEmpty { keys.append(String(decoding: bare, as: UTF8.self)) }
            bare = []
        }
        while let byte = next, byte != end, byte != UInt8(ascii: "\n") {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): keys.append(quoted())
            case UInt8(ascii: "."):
                take()
                advance()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): advance()
            default:
                bare.append(byte)
                advance()
            }
        }
        take()
        return keys
    }

    /// A string of any of the four kinds; its text, escapes left as they stand: they are of no use in a name.
    private mutating func quoted() -> String {
        guard let quote = next else { return "" }
        let isBasic = quote == UInt8(ascii: "\"")
        let isLong = isBasic ? isNext("\"\"\"") : isNext("'''")
        advance(isLong ? 3 : 1)
        let start = position
        while let byte = next {
            if isBasic && byte == UInt8(ascii: "\\") {
                advance(2)
            } else if isLong ? (isBasic ? isNext("\"\"\"") : isNext("'''")) : byte == quote {
                break
            } else {
                advance()
            }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        advance(isLong ? 3 : 1)
        // Up to two quotes can stand before the three that end a long string.
        if isLong { while next == quote { advance() } }
        return text
    }

    private mutating func nextAfterBlank() -> UInt8? {
        skipBlank()
        return next
    }

    /// Skips white space, line ends and comments.
    private mutating func skipBlank() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): advance()
            case UInt8(ascii: "#"): while let byte = next, byte != UInt8(ascii: "\n") { advance() }
            default: return
            }
        }
    }
}
