import Synchronization

/// A connection to the bus, by its unique name; the empty name is the daemon itself.
///
/// A bus never uses a unique name again, so the usage of a client is never counted for another one.
///
/// Each step passes its client on many times, so a client is a number: that of a unique name, `:1.42`, is part of it, and other
/// names have a place in a table. Nothing leaves the table, so ``known(_:)`` is for names that anyone could make up.
public struct Client: Hashable, Sendable {
    /// From the highest bit: whether it is a service, the place of its family in the table, and the number in the family, from 1; 0
    /// for a name that has none.
    private let bits: UInt64

    private static let numberBits: UInt64 = 32
    private static let maxNumber: UInt64 = (1 << numberBits) - 2
    private static let serviceBit: UInt64 = 1 << 63

    private init(family: Int, number: UInt64?, isService: Bool = false) {
        bits =
            UInt64(family) << Self.numberBits | (number.map { $0 + 1 } ?? 0) | (isService ? Self.serviceBit : 0)
    }

    private init(bits: UInt64) { self.bits = bits }

    /// Creates the client with a unique name, such as `:1.42`.
    public init(_ name: String) {
        var name = name
        self = name.withUTF8 { Client(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Creates the client with a unique name in UTF-8.
    public init(utf8 name: UnsafeRawBufferPointer) {
        if let client = Self.ofUsualFamily(name) {
            self = client
        } else {
            self = Self.inTable(name, adds: true) ?? .daemon
        }
    }

    /// The client with a name, if there can be one by now: for names that nothing limits.
    public static func known(_ name: String) -> Client? {
        var name = name
        return name.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            return ofUsualFamily(bytes) ?? inTable(bytes, adds: false)
        }
    }

    /// The unique name, such as `:1.42`.
    public var name: String {
        let number = bits & (1 << Self.numberBits - 1)
        let family = Int((bits & ~Self.serviceBit) >> Self.numberBits)
        if family == Families.usual, number > 0 { return Self.numbered(":1", number - 1) }
        if family == Families.daemon { return "" }
        let prefix = Self.families.withLock { $0.names[family] }
        return number == 0 ? prefix : Self.numbered(prefix, number - 1)
    }

    /// The daemon, as the client that starts the roots of `autostart`.
    public static var daemon: Client { Client(bits: UInt64(Families.daemon) << numberBits) }

    /// Stands for the clients of another bus, after a restart: none of them is connected any more (D-3).
    static var former: Client { Client(bits: UInt64(Families.former) << numberBits) }

    /// Whether it stands for a service with a stepper, by the well-known name (S-42). It may be on another bus, and has no
    /// usage.
    var isService: Bool { bits & Self.serviceBit != 0 }
    /// Whether it is a connection whose usage counts.
    var isConnection: Bool { !isService && self != .daemon }
}

// MARK: - Names

extension Client {
    /// The first parts of unique names, and whole names that do not end with a number.
    private struct Families {
        // Those that there always are.
        static let usual = 0
        static let daemon = 1
        static let former = 2

        var names = [":1", "", "former"]
        private var places = [":1": usual, "": daemon, "former": former]

        mutating func place(of name: String, adds: Bool) -> Int? {
            if let place = places[name] { return place }
            guard adds else { return nil }
            names.append(name)
            places[name] = names.count - 1
            return names.count - 1
        }
    }

    private static let families = Mutex(Families())

    /// The client with a name such as `:1.42`, which needs no table; nil for other names.
    @inline(__always)
    private static func ofUsualFamily(_ name: UnsafeRawBufferPointer) -> Client? {
        guard name.count > 3, name[0] == UInt8(ascii: ":"), name[1] == UInt8(ascii: "1"), name[2] == UInt8(ascii: "."),
            let number = number(in: name, from: 3)
        else { return nil }
        return Client(family: Families.usual, number: number)
    }

    private static func inTable(_ name: UnsafeRawBufferPointer, adds: Bool) -> Client? {
        var (prefix, number) = (name.count, nil as UInt64?)
        if name.first == UInt8(ascii: ":"), let dot = name.lastIndex(of: UInt8(ascii: ".")) {
            number = self.number(in: name, from: dot + 1)
            if number != nil { prefix = dot }
        }
        let text = String(decoding: name[..<prefix], as: UTF8.self)
        let isService = name.first != UInt8(ascii: ":") && name.contains(UInt8(ascii: "."))
        return families.withLock { $0.place(of: text, adds: adds) }.map { place in
            Client(family: place, number: number, isService: isService)
        }
    }

    /// The number that a name ends with, if it is written as ``numbered(_:_:)`` does.
    @inline(__always)
    private static func number(in name: UnsafeRawBufferPointer, from start: Int) -> UInt64? {
        guard start < name.count, name.count - start <= 10, name[start] != UInt8(ascii: "0") || name.count == start + 1
        else { return nil }
        var number: UInt64 = 0
        for place in start..<name.count {
            let digit = name[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number &* 10 &+ UInt64(digit)
        }
        return number <= maxNumber ? number : nil
    }

    private static func numbered(_ prefix: String, _ number: UInt64) -> String {
        var (prefix, digits, rest) = (prefix, 1, number / 10)
        while rest > 0 { (rest, digits) = (rest / 10, digits + 1) }
        let count = prefix.utf8.count + 1 + digits
        return String(unsafeUninitializedCapacity: count) { name in
            let end = prefix.withUTF8 { name.initialize(fromContentsOf: $0) }
            name.initializeElement(at: end, to: UInt8(ascii: "."))
            var rest = number
            for place in (end + 1..<count).reversed() {
                name.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            return count
        }
    }
}
