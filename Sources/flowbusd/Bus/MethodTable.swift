import FlowWire
import SdBus

/// The methods of the service's own interfaces, by which calls find their handlers without sd-bus. That looks for an object at
/// each prefix of the path, and for each interface there.
struct MethodTable {
    /// Which objects have a method.
    enum Place {
        case root
        case presentables
        /// Also those that are gone, whose repeated calls a token may answer (S-9).
        case presentablesEvenGone
        case flows
    }

    /// A method.
    struct Method {
        let name: StaticString
        let interface: StaticString
        let signature: String
        let place: Place
        let handler: MessageHandler
    }

    /// By ``bucket(of:)``.
    private var buckets: [[Method]] = Array(repeating: [], count: 64)

    /// The methods of these interfaces.
    init(root: [InterfaceDescription], presentables: [InterfaceDescription], flows: [InterfaceDescription]) {
        for (interfaces, place) in [(root, Place.root), (presentables, .presentables), (flows, .flows)] {
            for interface in interfaces {
                for method in interface.methods { add(method, of: interface.name, place) }
            }
        }
    }

    /// Whether a method serves presentables that are gone, too (S-9).
    static func servesGone(_ member: UnsafePointer<CChar>) -> Bool {
        "EmitStepWithOptions".isSpelled(member) || "BackWithOptions".isSpelled(member)
    }

    private mutating func add(_ method: InterfaceDescription.Method, of interface: StaticString, _ place: Place) {
        let bucket = Self.bucket(of: method.name.cString.bytes)
        buckets[bucket].append(
            Method(
                name: method.name, interface: interface,
                signature: method.inputs.map { "\($0.signature)" }.joined(),
                place: Self.servesGone(method.name.cString) ? .presentablesEvenGone : place, handler: method.handler))
    }

    private static func bucket(of name: UnsafeRawBufferPointer) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        return (name.count &* 7 &+ Int(first) &* 3 &+ Int(last)) & 63
    }

    /// The method that a call names, with its interface and with arguments of the right types; nil if there is none.
    func method(of call: MessageReader) -> Method? {
        guard let interface = call.interface else { return nil }
        let member = call.member
        for method in buckets[Self.bucket(of: member.bytes)]
        where method.name.isSpelled(member) && method.interface.isSpelled(interface) {
            return method.signature.isSpelled(call.signature) ? method : nil
        }
        return nil
    }
}
