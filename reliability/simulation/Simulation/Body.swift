/// The body of a message that a simulated program sends, in the wire format of D-Bus.
struct Body {
    /// A value of a dictionary.
    enum Item {
        case int64(Int64)
        case uint64(UInt64)
        case string(String)
        case bool(Bool)
        /// Of a type that nothing accepts.
        case byte(UInt8)
    }

    private(set) var bytes: [UInt8] = []

    mutating func align(_ alignment: Int) {
        while bytes.count % alignment != 0 { bytes.append(0) }
    }

    private mutating func number(_ value: UInt64, _ count: Int) {
        align(count)
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func bool(_ value: Bool) { number(value ? 1 : 0, 4) }
    mutating func uint32(_ value: UInt32) { number(UInt64(value), 4) }
    mutating func uint64(_ value: UInt64) { number(value, 8) }
    mutating func int64(_ value: Int64) { number(UInt64(bitPattern: value), 8) }

    /// A string, or an object path.
    mutating func string(_ text: String) {
        uint32(UInt32(text.utf8.count))
        bytes += Array(text.utf8)
        bytes.append(0)
    }

    mutating func signature(_ text: String) {
        bytes.append(UInt8(text.utf8.count))
        bytes += Array(text.utf8)
        bytes.append(0)
    }

    mutating func array(_ alignment: Int, _ body: (inout Body) -> Void) {
        uint32(0)
        let place = bytes.count - 4
        align(alignment)
        let start = bytes.count
        body(&self)
        let count = UInt32(bytes.count - start)
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(index))) }
    }

    mutating func item(_ item: Item) {
        switch item {
        case .int64(let value):
            signature("x")
            int64(value)
        case .uint64(let value):
            signature("t")
            uint64(value)
        case .string(let text):
            signature("s")
            string(text)
        case .bool(let value):
            signature("b")
            bool(value)
        case .byte(let value):
            signature("y")
            byte(value)
        }
    }

    /// `a{sv}`
    mutating func items(_ items: [(String, Item)]) {
        array(8) { body in
            for (name, item) in items {
                body.align(8)
                body.string(name)
                body.item(item)
            }
        }
    }
}
