public import CSdBus

extension Bus {
    // MARK: Serving objects

    /// Serves an interface on every object below a prefix that the lookup finds; sd_bus_add_fallback_vtable(3).
    ///
    /// All interfaces of the objects and their node enumerator belong on the same prefix: sd-bus introspects an object
    /// only by the longest prefix that matches.
    ///
    /// - Throws: ``SdError``: EEXIST if the prefix has this interface already, EINVAL for an invalid vtable.
    public func addFallbackVtable(
        prefix: String, interface: StaticString, vtable: UnsafePointer<sd_bus_vtable>,
        userdata: UnsafeMutableRawPointer? = nil, lookup: @escaping ObjectLookup
    ) throws(SdError) {
        let result = prefix.withCString {
            sd_bus_add_fallback_vtable(handle, nil, $0, interface.cString, vtable, lookup, userdata)
        }
        try check("sd_bus_add_fallback_vtable", result)
    }

    /// Serves an interface on one object; sd_bus_add_object_vtable(3).
    public func addObjectVtable(
        path: String, interface: StaticString, vtable: UnsafePointer<sd_bus_vtable>,
        userdata: UnsafeMutableRawPointer? = nil
    ) throws(SdError) {
        let result = path.withCString {
            sd_bus_add_object_vtable(handle, nil, $0, interface.cString, vtable, userdata)
        }
        try check("sd_bus_add_object_vtable", result)
    }

    /// Serves org.freedesktop.DBus.ObjectManager on an object; sd_bus_add_object_manager(3).
    public func addObjectManager(path: String) throws(SdError) {
        try check("sd_bus_add_object_manager", path.withCString { sd_bus_add_object_manager(handle, nil, $0) })
    }

    /// The call that is being served, while a handler runs; sd_bus_get_current_message(3).
    public var currentCall: MessageReader? { sd_bus_get_current_message(handle).map(MessageReader.init) }

    // MARK: Matches

    /// Adds a match rule, and waits until the bus has accepted it; sd_bus_add_match(3).
    ///
    /// - Returns: the registration; it ends with the slot.
    public func addMatch(
        _ rule: String, userdata: UnsafeMutableRawPointer? = nil, handler: @escaping MessageHandler
    ) throws(SdError) -> Slot {
        try settle()
        var slot: OpaquePointer?
        let result = rule.withCString { rule in
            tryingAgain { sd_bus_add_match(handle, &slot, rule, handler, userdata) }
        }
        return try Slot("sd_bus_add_match", result, slot, removedBy: self)
    }

    /// Runs a closure once when the connection is lost, instead of ending the loop (the Disconnected signal that
    /// sd-bus makes itself). The last closure given is the one that runs.
    public func onDisconnect(_ handler: @escaping () -> Void) throws(SdError) {
        let isFirst = disconnected == nil
        disconnected = handler
        guard isFirst else { return }
        let result = sd_bus_match_signal(
            self.handle, nil, nil, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected",
            { _, userdata, _ in
                guard let userdata else { return 0 }
                Unmanaged<Bus>.fromOpaque(userdata).takeUnretainedValue().disconnected?()
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        try check("sd_bus_match_signal", result)
    }

    /// Runs a closure when this connection loses a name (the bus's signal NameLost), also when it released the name. The last
    /// closure given is the one that runs.
    public func onNameLost(_ name: String, _ handler: @escaping () -> Void) throws(SdError) {
        try settle()
        let isFirst = nameLost == nil
        nameLost = handler
        guard isFirst else { return }
        // The bus sends it to the owner without a match rule.
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameLost',"
            + "path='/org/freedesktop/DBus',arg0='\(name)'"
        let result = rule.withCString {
            sd_bus_add_match(
                handle, nil, $0,
                { _, userdata, _ in
                    guard let userdata else { return 0 }
                    Unmanaged<Bus>.fromOpaque(userdata).takeUnretainedValue().nameLost?()
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque())
        }
        try check("sd_bus_add_match", result)
    }

    /// Runs a handler with every incoming message before it is served, but not with answers that sd-bus waits for itself. A
    /// message is served only if the handler returns 0. Costs some hundreds of instructions a message. sd_bus_add_filter(3).
    ///
    /// - Returns: the registration; it ends with the slot.
    public func addFilter(
        userdata: UnsafeMutableRawPointer?, _ filter: @escaping MessageHandler
    ) throws(SdError) -> Slot {
        var slot: OpaquePointer?
        let result = sd_bus_add_filter(handle, &slot, filter, userdata)
        return try Slot("sd_bus_add_filter", result, slot)
    }
}
