/// The type of a message; D-Bus specification, "Message Format".
enum MessageType: UInt8 {
    case call = 1
    case answer = 2
    case error = 3
    case signal = 4
}

/// Marshals the header of a message, in the order of sd-bus; D-Bus specification, "Message Format".
struct MessageHeader {
    /// The codes of header fields; D-Bus specification, "Header Fields".
    private enum Field: UInt8 {
        case path = 1
        case interface = 2
        case member = 3
        case errorName = 4
        case replySerial = 5
        case destination = 6
        case signature = 8
    }

    /// The bytes before the fields.
    private static let fixedBytes = 16

    private let marshaller: Marshaller

    /// Begins a message.
    init(_ marshaller: Marshaller, _ type: MessageType, flags: UInt8, _ number: UInt32, _ signature: StaticString) {
        self.marshaller = marshaller
        let state = marshaller.state
        (state.pointee.start, state.pointee.depth) = (state.pointee.count, 0)
        #if DEBUG
            state.pointee.check.begin(signature)
        #endif
        marshaller.reserve(Self.fixedBytes)
        #if _endian(big)
            marshaller.store(UInt8(ascii: "B"))
        #else
            marshaller.store(UInt8(ascii: "l"))
        #endif
        marshaller.store(type.rawValue)
        marshaller.store(flags)
        // The version of the protocol.
        marshaller.store(1 as UInt8)
        // The lengths of the body and of the fields follow in the end.
        marshaller.store(0 as UInt32)
        marshaller.store(number)
        marshaller.store(0 as UInt32)
    }

    func path(_ path: String) { field(.path, UInt8(ascii: "o"), path) }
    func interface(_ name: StaticString) { field(.interface, name) }
    func member(_ name: StaticString) { field(.member, name) }
    func member(_ name: String) { field(.member, UInt8(ascii: "s"), name) }
    func errorName(_ name: String) { field(.errorName, UInt8(ascii: "s"), name) }
    func destination(_ name: String) { field(.destination, UInt8(ascii: "s"), name) }

    /// The fields of an answer.
    func reply(to call: Caller) {
        field(.replySerial, UInt8(ascii: "u"))
        marshaller.store(call.number)
        // There are no names on a connection without a bus.
        if !call.name.isEmpty { destination(call.name) }
    }

    /// Ends the header.
    ///
    /// - Returns: where the body begins.
    func beginBody(_ signature: StaticString) -> Int {
        if signature.utf8CodeUnitCount > 0 {
            field(.signature, UInt8(ascii: "g"))
            marshaller.store(UInt8(ascii: "g"), signature)
        }
        let state = marshaller.state
        let fields = state.pointee.count - state.pointee.start - Self.fixedBytes
        state.pointee.bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: fields), toByteOffset: state.pointee.start + 12, as: UInt32.self)
        marshaller.reserve(8)
        marshaller.align(8)
        return state.pointee.count
    }

    /// Ends the body.
    func endBody(_ first: Int, mostBytes: Int) throws(SdError) {
        let state = marshaller.state
        #if DEBUG
            try state.pointee.check.end()
        #endif
        guard state.pointee.depth == 0 else { throw Marshaller.unbalanced }
        guard state.pointee.count - state.pointee.start <= mostBytes else { throw Marshaller.tooLarge }
        state.pointee.bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: state.pointee.count - first), toByteOffset: state.pointee.start + 4,
            as: UInt32.self)
    }

    // MARK: Fields

    /// Begins a field whose value has a basic type.
    private func field(_ field: Field, _ type: UInt8) {
        marshaller.reserve(24)
        marshaller.align(8)
        marshaller.store(field.rawValue)
        // The signature of a variant, in one letter.
        marshaller.store(1 as UInt8)
        marshaller.store(type)
        marshaller.store(0 as UInt8)
    }

    private func field(_ field: Field, _ type: UInt8, _ text: String) {
        self.field(field, type)
        var text = text
        text.withUTF8 { marshaller.store(type, $0) }
    }

    private func field(_ field: Field, _ text: StaticString) {
        self.field(field, UInt8(ascii: "s"))
        marshaller.store(UInt8(ascii: "s"), text)
    }
}
