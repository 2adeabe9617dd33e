import FlowCore
import FlowWire
import SdBus

// The signals of the bus contract. Each is made of a complete value, as the tree may have changed when it is sent.

extension Daemon {
    private func signal(
        _ path: UnsafePointer<CChar>, _ interface: StaticString, _ member: StaticString
    ) throws -> OutgoingMessage {
        try OutgoingMessage(signal: bus, path: path, interface: interface, member: member)
    }

    func send(_ announcement: Announcement) throws {
        let message = try signal(announcement.flow, BusNames.Interface.flow, "NavigationWillOccur")
        try message.body.append(announcement.step)
        try message.body.append(announcement.arguments)
        try appendDetails(announcement.isDeepLink, announcement.adaptedFrom, to: message.body)
        try message.send()
    }

    func send(_ navigation: Navigation) throws {
        let message = try signal(navigation.flow, BusNames.Interface.flow, "NavigationOccurred")
        let body = message.body
        try body.append(navigation.serial)
        try body.append(navigation.cause)
        try body.append(navigation.client.name)
        try body.append(navigation.step)
        try body.append(navigation.arguments)
        try body.append(navigation.contributions)
        try appendDetails(navigation.isDeepLink, navigation.adaptedFrom, to: body)
        try message.send()
    }

    /// Appends rare details alone, as each entry costs every receiver.
    private func appendDetails(_ isDeepLink: Bool, _ adaptedFrom: String?, to body: MessageWriter) throws {
        try body.openContainer(.array, "{sv}")
        if let adaptedFrom { try body.appendEntry("adaptedFrom", "s") { body in try body.append(adaptedFrom) } }
        if isDeepLink { try body.appendEntry("deepLink", "b") { body in try body.append(true) } }
        try body.closeContainer()
    }

    func send(_ failure: NavigationFailure) throws {
        let message = try signal(failure.flow, BusNames.Interface.flow, "NavigationFailed")
        let body = message.body
        try body.append(failure.cause)
        try body.append(failure.client.name)
        try body.append(failure.step)
        let texts = failure.reason.busTexts
        try body.append(texts.verdict)
        try body.append(texts.errorName)
        try body.append(failure.message)
        try message.send()
    }

    /// To the emitter alone.
    func send(_ conclusion: Conclusion) throws {
        let message = try signal(conclusion.path, BusNames.Interface.stepper, "StepConcluded")
        try message.setDestination(conclusion.client.name)
        try message.body.append(conclusion.token)
        try message.body.append(outcome: conclusion.outcome)
        try message.send()
    }

    func sendDefinitionsChanged() throws {
        definitionsText.drop()
        try signal(BusNames.root.cString, BusNames.Interface.coordinator, "DefinitionsChanged").send()
    }
}

extension Daemon {
    /// `Durable` changed.
    func sendDurable(_ isDurable: Bool) throws {
        try sendChanged("\(BusNames.root)", BusNames.Interface.coordinator) { body in
            try body.appendEntry("Durable", "b") { body in try body.append(isDurable) }
        }
    }
}

// MARK: - Objects that come, change and go

extension Daemon {
    func sendAdded(_ state: PresentableState) throws {
        let message = try signal(BusNames.root.cString, BusNames.Interface.objectManager, "InterfacesAdded")
        let body = message.body
        try body.append(path: state.path)
        try body.openContainer(.array, "{sa{sv}}")
        for interface in BusNames.Interface.standard { try appendInterface(interface, to: body) { _ in } }
        try appendInterface(BusNames.Interface.stepper, to: body) { _ in }
        try appendInterface(BusNames.Interface.presentable, to: body) { body in
            try body.appendEntry("Name", "s") { body in try body.append(state.name) }
            try body.appendEntry("Style", "s") { body in try body.append(state.style) }
            try body.appendEntry("ParentFlow", "o") { body in try body.append(path: state.parent) }
            try body.appendEntry("Instance", "t") { body in try body.append(state.instance) }
            try body.appendEntry("Arguments", "a{sv}") { body in try body.append(state.arguments) }
            try body.appendEntry("Visible", "b") { body in try body.append(state.isVisible) }
            try body.appendEntry("Presented", "b") { body in try body.append(state.isPresented) }
            try body.appendEntry("Presenter", "s") { body in try body.append(state.presenter) }
            try body.appendEntry("Owner", "s") { body in try body.append(state.owner?.name ?? "") }
        }
        if let flow = state.flow {
            try appendInterface(BusNames.Interface.flow, to: body) { body in
                try body.appendEntry("Definition", "s") { body in try body.append(flow.definition) }
                try body.appendEntry("Ready", "b") { body in try body.append(flow.isReady) }
                try body.appendEntry("Current", "o") { body in try body.append(path: flow.current) }
            }
        }
        try body.closeContainer()
        try message.send()
    }

    private func appendInterface(
        _ interface: StaticString, to body: MessageWriter, _ properties: (MessageWriter) throws -> Void
    ) throws {
        try body.openContainer(.dictEntry, "sa{sv}")
        try body.append(interface.cString)
        try body.openContainer(.array, "{sv}")
        try properties(body)
        try body.closeContainer()
        try body.closeContainer()
    }

    func sendRemoved(_ path: String, isFlow: Bool) throws {
        let message = try signal(BusNames.root.cString, BusNames.Interface.objectManager, "InterfacesRemoved")
        let body = message.body
        try body.append(path: path)
        try body.openContainer(.array, "s")
        for interface in BusNames.Interface.standard { try body.append(interface.cString) }
        try body.append(BusNames.Interface.stepper.cString)
        try body.append(BusNames.Interface.presentable.cString)
        if isFlow { try body.append(BusNames.Interface.flow.cString) }
        try body.closeContainer()
        try message.send()
    }

    /// One signal for each interface that changed.
    func send(_ changes: PropertyChanges) throws {
        if changes.arguments != nil || changes.isVisible != nil || changes.isPresented != nil || changes.owner != nil {
            try sendChanged(changes.path, BusNames.Interface.presentable) { body in
                if let value = changes.arguments {
                    try body.appendEntry("Arguments", "a{sv}") { body in try body.append(value) }
                }
                if let value = changes.isVisible {
                    try body.appendEntry("Visible", "b") { body in try body.append(value) }
                }
                if let value = changes.isPresented {
                    try body.appendEntry("Presented", "b") { body in try body.append(value) }
                }
                if let value = changes.owner {
                    try body.appendEntry("Owner", "s") { body in try body.append(value.name) }
                }
            }
        }
        if changes.isReady != nil || changes.current != nil {
            try sendChanged(changes.path, BusNames.Interface.flow) { body in
                if let value = changes.isReady {
                    try body.appendEntry("Ready", "b") { body in try body.append(value) }
                }
                switch changes.current {
                case .child(let path)?:
                    try body.appendEntry("Current", "o") { body in try body.append(path: path) }
                case PropertyChanges.Current.none?:
                    try body.appendEntry("Current", "o") { body in try body.append(path: nil) }
                case nil: break
                }
            }
        }
    }

    private func sendChanged(
        _ path: String, _ interface: StaticString, _ properties: (MessageWriter) throws -> Void
    ) throws {
        let message = try signal(path, BusNames.Interface.properties, "PropertiesChanged")
        let body = message.body
        try body.append(interface.cString)
        try body.openContainer(.array, "{sv}")
        try properties(body)
        try body.closeContainer()
        // No property is only invalidated.
        try body.openContainer(.array, "s")
        try body.closeContainer()
        try message.send()
    }
}
