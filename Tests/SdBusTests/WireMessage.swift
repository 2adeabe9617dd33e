import Testing

/// A message as the specification of D-Bus describes it, marshalled and read without the code that is tested.
struct WireMessage: Equatable {
    enum Kind: UInt8 {
        case call = 1
        case answer = 2
        case error = 3
        case signal = 4
    }

    var kind: Kind
    var flags: UInt8 = 0
    var number: UInt32
    var path: String?
    var interface: String?
    var member: String?
    var errorName: String?
    var answered: UInt32?
    var destination: String?
    var sender: String?
    var signature: String?
    var body: [UInt8] = []

    init(_ kind: Kind, _ number: UInt32) { (self.kind, self.number) = (kind, number) }

    // MARK: Marshalling

    var bytes: [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "l"), kind.rawValue, flags, 1]
        Self.append(UInt32(body.count), to: &bytes)
        Self.append(number, to: &bytes)
        Self.append(0, to: &bytes)
        for (code, type, text) in [
            (1, "o", path), (2, "s", interface), (3, "s", member), (4, "s", errorName), (6, "s", destination),
            (7, "s", sender), (8, "g", signature),
        ] as [(UInt8, Unicode.Scalar, String?)] {
            guard let text else { continue }
            Self.pad(&bytes, 8)
            bytes += [code, 1, UInt8(ascii: type), 0]
            if type == "g" {
                bytes.append(UInt8(text.utf8.count))
            } else {
                Self.append(UInt32(text.utf8.count), to: &bytes)
            }
            bytes += text.utf8 + [0]
        }
        if let answered {
            Self.pad(&bytes, 8)
            bytes += [5, 1, UInt8(ascii: "u"), 0]
            Self.append(answered, to: &bytes)
        }
        let fields = UInt32(bytes.count - 16)
        for place in 0..<4 { bytes[12 + place] = UInt8(truncatingIfNeeded: fields >> UInt32(8 * place)) }
        Self.pad(&bytes, 8)
        return bytes + body
    }

    /// The body of a message with one text.
    static func body(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(UInt32(text.utf8.count), to: &bytes)
        return bytes + text.utf8 + [0]
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(8 * place))) }
    }

    private static func pad(_ bytes: inout [UInt8], _ alignment: Int) {
        while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
    }

    // MARK: Reading

    /// How many bytes the message has that begins here; nil if that is not known yet.
    static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 16 else { return nil }
        let start = bytes.startIndex
        let fields = Int(number(bytes, at: start + 12))
        return 16 + (fields + 7) / 8 * 8 + Int(number(bytes, at: start + 4))
    }

    /// Reads a complete message.
    init(reading bytes: ArraySlice<UInt8>) throws {
        let bytes = Array(bytes)
        try #require(bytes[0] == UInt8(ascii: "l") && bytes[3] == 1)
        self.init(try #require(Kind(rawValue: bytes[1])), Self.number(bytes[...], at: 8))
        flags = bytes[2]
        let end = 16 + Int(Self.number(bytes[...], at: 12))
        var place = 16
        while place < end {
            place = (place + 7) / 8 * 8
            let (code, type) = (bytes[place], bytes[place + 2])
            try #require(bytes[place + 1] == 1 && bytes[place + 3] == 0)
            place += 4
            if type == UInt8(ascii: "u") {
                try #require(code == 5)
                answered = Self.number(bytes[...], at: place)
                place += 4
                continue
            }
            let isSignature = type == UInt8(ascii: "g")
            let count = isSignature ? Int(bytes[place]) : Int(Self.number(bytes[...], at: place))
            place += isSignature ? 1 : 4
            let text = String(decoding: bytes[place..<place + count], as: UTF8.self)
            try #require(bytes[place + count] == 0)
            place += count + 1
            try set(code, text)
        }
        let first = (end + 7) / 8 * 8
        try #require(!bytes[end..<first].contains { $0 != 0 })
        body = Array(bytes[first...])
        try #require(body.count == Int(Self.number(bytes[...], at: 4)))
    }

    private mutating func set(_ code: UInt8, _ text: String) throws {
        switch code {
        case 1: path = text
        case 2: interface = text
        case 3: member = text
        case 4: errorName = text
        case 6: destination = text
        case 7: sender = text
        default:
            try #require(code == 8)
            signature = text
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>, at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }
}
