import CSdBus
import FlowCore
import FlowWire
import SdBus

/// The tree as a client knows it from signals alone.
struct Mirror: Equatable {
    /// An object: the hashes of its properties, by the hash of interface and name.
    typealias Object = [UInt64: UInt64]

    private(set) var objects: [String: Object] = [:]

    /// The paths of presentables, sorted, so that the seed alone decides which of them is taken.
    private(set) var paths: [String] = []

    /// Applies a signal. Returns what is wrong with it.
    mutating func take(_ signal: MessageReader) -> String? {
        do {
            switch String(cString: signal.member) {
            case "InterfacesAdded":
                let path = String(cString: try signal.readObjectPath())
                if objects[path] != nil { return "'\(path)' is added a second time" }
                objects[path] = try Self.object(signal)
                insert(path)
            case "InterfacesRemoved":
                let path = String(cString: try signal.readObjectPath())
                guard objects.removeValue(forKey: path) != nil else { return "'\(path)' is removed, and was not there" }
                paths.removeAll { $0 == path }
            case "PropertiesChanged":
                let path = String(cString: signal.path)
                if path == "\(BusNames.root)" { return nil }
                guard var object = objects[path] else { return "'\(path)' changed, and is not there" }
                let interface = sim_message_hash(signal.handle)
                objects[path] = nil
                try Self.properties(signal, of: interface, into: &object)
                objects[path] = object
            default: break
            }
        } catch {
            return "the signal \(String(cString: signal.member)) can't be read: \(error)"
        }
        return nil
    }

    private mutating func insert(_ path: String) {
        let place = paths.firstIndex { $0 > path } ?? paths.count
        paths.insert(path, at: place)
    }

    /// The answer to GetManagedObjects.
    static func all(_ answer: MessageReader) throws -> Mirror {
        var all = Mirror()
        _ = try answer.enterContainer(.array, "{oa{sa{sv}}}")
        while try answer.enterContainer(.dictEntry, "oa{sa{sv}}") {
            let path = String(cString: try answer.readObjectPath())
            all.objects[path] = try object(answer)
            try answer.exitContainer()
        }
        try answer.exitContainer()
        all.paths = all.objects.keys.sorted()
        return all
    }

    private static func object(_ message: MessageReader) throws -> Object {
        var object: Object = [:]
        _ = try message.enterContainer(.array, "{sa{sv}}")
        while try message.enterContainer(.dictEntry, "sa{sv}") {
            try properties(message, of: sim_message_hash(message.handle), into: &object)
            try message.exitContainer()
        }
        try message.exitContainer()
        return object
    }

    /// As `sim_message_hash` of a string.
    private static func hash(of text: String) -> UInt64 {
        ([UInt8(ascii: "s")] + Array(text.utf8) + [0]).reduce(0xcbf2_9ce4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
    }

    /// The values of a flow, whose signals may come later than the values (S-57). The model knows when.
    private static let context = hash(of: "Context")

    private static func properties(
        _ message: MessageReader, of interface: UInt64, into object: inout Object
    ) throws {
        _ = try message.enterContainer(.array, "{sv}")
        while try message.enterContainer(.dictEntry, "sv") {
            let name = sim_message_hash(message.handle)
            let value = sim_message_hash(message.handle)
            if name != context { object[interface &* 31 ^ name] = value }
            try message.exitContainer()
        }
        try message.exitContainer()
    }

    /// What differs from another one, for a person.
    func difference(from other: Mirror) -> String {
        let added = Set(paths).subtracting(other.paths).sorted()
        let removed = Set(other.paths).subtracting(paths).sorted()
        let changed = paths.flatMap { path -> [String] in
            guard let (mine, others) = objects[path].flatMap({ mine in other.objects[path].map { (mine, $0) } }) else {
                return []
            }
            return NodeProperty.allCases.compactMap { property in
                let description = property.description
                let key = Self.hash(of: "\(description.interface.busName)") &* 31 ^ Self.hash(of: "\(description.name)")
                return mine[key] == others[key]
                    ? nil : "\(path) \(description.name) \(mine[key] ?? 0) \(others[key] ?? 0)"
            } + (mine == others ? [] : ["\(path) \(mine.count) \(others.count)"])
        }
        return "only by signals: \(added); only by GetManagedObjects: \(removed); otherwise: \(changed)"
    }
}
