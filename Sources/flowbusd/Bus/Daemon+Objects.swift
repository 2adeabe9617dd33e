import FlowCore
import FlowWire
import SdBus

// The objects on the bus. Calls of the service's own methods are handled before sd-bus sees them. For the others, such as
// those of standard interfaces, fallback vtables serve the presentables and look paths up in the tree, so no presentable is
// registered. After a lookup, the handler is called for the presentable that was found.

/// The presentable that was looked up last.
struct PresentableLookup {
    fileprivate(set) var found: NodeID?
}

// MARK: - Calls of the own methods

extension Daemon {
    /// Handles a call of a method of the service's own interfaces.
    ///
    /// - Returns: false for another call, and for one that sd-bus refuses: of an unknown object, or with arguments of other
    ///   types.
    func handleCall(_ call: MessageReader) -> Bool {
        guard let method = setup.methods.method(of: call) else {
            return handleGetManagedObjects(call) || handleIntrospect(call)
        }
        switch method.place {
        case .root: guard BusNames.root.isSpelled(call.path) else { return false }
        case .presentables: guard lookUp(call.path), lookup.found != nil else { return false }
        case .presentablesEvenGone: guard lookUp(call.path) else { return false }
        case .flows:
            guard lookUp(call.path), let node = lookup.found, coordinator.isFlow(node) else { return false }
        }
        return method.handler(call.handle, Unmanaged.passUnretained(self).toOpaque(), nil) != 0
    }

    /// Looks up the presentable at a path of the tree, or of an instance.
    ///
    /// - Returns: whether it is such a path. The presentable may be gone, and at the tree itself there is none.
    private func lookUp(_ path: UnsafePointer<CChar>) -> Bool {
        if BusNames.tree.begins(path) || BusNames.tree.isSpelled(path) {
            lookup.found = coordinator.node(at: String(cString: path))
            return true
        }
        guard BusNames.instances.begins(path), let instance = InstancePath.instance(at: path.bytes) else {
            return false
        }
        lookup.found = coordinator.node(instance: instance)
        return true
    }

    /// sd-bus asks for each property of each presentable.
    private func handleGetManagedObjects(_ call: MessageReader) -> Bool {
        guard "GetManagedObjects".isSpelled(call.member), BusNames.root.isSpelled(call.path),
            let interface = call.interface, BusNames.Interface.objectManager.isSpelled(interface),
            "".isSpelled(call.signature)
        else { return false }
        return Self.serveRoot(call.handle, Unmanaged.passUnretained(self).toOpaque()) { daemon, call in
            try daemon.reply(to: call, "a{oa{sa{sv}}}") { body in
                try body.openContainer(.array, "{oa{sa{sv}}}")
                try daemon.coordinator.forEachPresentable { path, isFlow, value in
                    try body.openContainer(.dictEntry, "oa{sa{sv}}")
                    try body.append(path: path)
                    try body.appendInterfaces(ofFlow: isFlow, value)
                    try body.closeContainer()
                }
                try body.closeContainer()
            }
        } != 0
    }

    /// sd-bus knows no annotations but its own, and code generators need those of the documented interfaces.
    private func handleIntrospect(_ call: MessageReader) -> Bool {
        guard "Introspect".isSpelled(call.member), "".isSpelled(call.signature),
            call.interface.map(BusNames.Interface.introspectable.isSpelled) ?? true,
            let document = introspection(of: call.path)
        else { return false }
        return Self.serveRoot(call.handle, Unmanaged.passUnretained(self).toOpaque()) { daemon, call in
            try daemon.reply(to: call, "s") { body in try body.append(document) }
        } != 0
    }

    /// The document of an object, with the names of its children; nil where there is no object of the service. No object lists all below
    /// it, or each leaf would cost all nodes.
    private func introspection(of path: UnsafePointer<CChar>) -> String? {
        let documents = setup.introspection
        if BusNames.root.isSpelled(path) { return documents.root }
        if BusNames.tree.isSpelled(path) { return documents.tree(coordinator.childPaths(of: nil)) }
        guard lookUp(path), let node = lookup.found else { return nil }
        // A path by the instance is for calls: nothing is below it.
        let isInTree = BusNames.tree.begins(path)
        return documents.presentable(
            isFlow: coordinator.isFlow(node), isInTree ? coordinator.childPaths(of: node) : [])
    }
}

// MARK: - Other calls

extension Daemon {
    /// Serves all objects: the coordinator at the root, and the presentables.
    func addObjects() throws {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let (root, tree) = ("\(BusNames.root)", "\(BusNames.tree)")
        try bus.addObjectManager(path: root)
        let vtables = setup.vtables
        for (interface, vtable) in [
            (BusNames.Interface.coordinator, vtables.coordinator), (BusNames.Interface.history, vtables.history),
        ] {
            try bus.addObjectVtable(path: root, interface: interface, vtable: vtable, userdata: context)
        }
        // No call lists the objects by their instances.
        for prefix in [tree, "\(BusNames.instances)"] { try addPresentables(below: prefix, context) }
    }

    private func addPresentables(below prefix: String, _ context: UnsafeMutableRawPointer) throws {
        let vtables = setup.vtables
        let steppers: ObjectLookup = { _, path, _, context, found, _ in Daemon.findStepper(path, context, found) }
        let presentables: ObjectLookup = { _, path, _, context, found, _ in Daemon.find(path, context, found) }
        let flows: ObjectLookup = { _, path, _, context, found, _ in
            Daemon.find(path, context, found) { $0.coordinator.isFlow($1) }
        }
        for (interface, vtable, lookup) in [
            (BusNames.Interface.stepper, vtables.stepper, steppers),
            (BusNames.Interface.presentable, vtables.presentable, presentables),
            (BusNames.Interface.flow, vtables.flow, flows),
        ] {
            try bus.addFallbackVtable(
                prefix: prefix, interface: interface, vtable: vtable, userdata: context, lookup: lookup)
        }
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Daemon? {
        context.map { Unmanaged<Daemon>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Looks up the presentable at a path, for the getter that follows. Returns sd-bus's result.
    ///
    /// - Parameter isServed: whether the presentable has the interface.
    private static func find(
        _ path: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
        _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ isServed: (Daemon, NodeID) -> Bool = { _, _ in true }
    ) -> Int32 {
        guard let path, let daemon = from(context), daemon.lookUp(path), let node = daemon.lookup.found,
            isServed(daemon, node)
        else { return 0 }
        found?.pointee = context
        return 1
    }

    /// The same for a method that serves presentables that are gone, too: sd-bus refuses arguments of other types.
    private static func findStepper(
        _ path: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
        _ found: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
        if find(path, context, found) != 0 { return 1 }
        guard let path, let daemon = from(context), daemon.lookUp(path), let call = daemon.bus.currentCall,
            MethodTable.servesGone(call.member)
        else { return 0 }
        found?.pointee = context
        return 1
    }

    /// The path that a call to a presentable named, unless that is the path in the tree.
    func calledPath(_ call: MessageReader) -> String? {
        // There are two prefixes, which differ in the byte after their common part.
        let place = BusNames.root.utf8CodeUnitCount + 1
        guard UInt8(bitPattern: call.path[place]) == BusNames.instances.utf8Start[place] else { return nil }
        return String(cString: call.path)
    }
}
