import FlowCore
import FlowWire
import SdBus

// The signals of the bus contract. An effect has all values, because the tree may have changed when the signal is sent.

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

    /// Appends rare details only if they apply, because each entry costs every receiver.
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

    /// To the asker alone.
    func send(_ answered: Answered) throws {
        let message = try signal(answered.path, BusNames.Interface.stepper, "Answered")
        try message.setDestination(answered.client.name)
        try message.body.append(answered.answer)
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
            try body.openContainer(.array, "{sv}")
            try body.appendEntry("Durable", "b") { body in try body.append(isDurable) }
            try body.closeContainer()
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
        for interface in BusNames.Interface.standard { try appendInterface(interface, to: body) }
        try appendInterface(BusNames.Interface.stepper, to: body)
        for interface in NodeProperty.Interface.allCases where state.isFlow || interface != .flow {
            try body.openContainer(.dictEntry, "sa{sv}")
            try body.append(interface.busName.cString)
            try body.append(state.properties, of: interface)
            try body.closeContainer()
        }
        try body.closeContainer()
        try message.send()
    }

    /// Appends an interface that has no properties.
    private func appendInterface(_ interface: StaticString, to body: MessageWriter) throws {
        try body.openContainer(.dictEntry, "sa{sv}")
        try body.append(interface.cString)
        try body.openContainer(.array, "{sv}")
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
        for interface in NodeProperty.Interface.allCases where changes.properties.contains(interface) {
            try sendChanged(changes.path, interface.busName) { body in
                try body.append(changes.properties, of: interface)
            }
        }
    }

    /// - Parameter properties: appends the properties that changed, an `a{sv}`.
    private func sendChanged(
        _ path: String, _ interface: StaticString, _ properties: (MessageWriter) throws -> Void
    ) throws {
        let message = try signal(path, BusNames.Interface.properties, "PropertiesChanged")
        let body = message.body
        try body.append(interface.cString)
        try properties(body)
        // No property is only invalidated.
        try body.openContainer(.array, "s")
        try body.closeContainer()
        try message.send()
    }
}
