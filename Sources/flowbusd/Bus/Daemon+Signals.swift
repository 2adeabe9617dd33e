import FlowCore
import FlowWire
import SdBus

// The signals of the bus contract. An effect has all values, because the tree may have changed when the signal is sent.

extension Daemon {
    func send(_ announcement: Announcement) throws {
        try output.signal(
            BusNames.Interface.flow, "NavigationWillOccur", at: announcement.flow, "sa{sv}a{sv}"
        ) { body in
            try body.append(announcement.step)
            try body.append(announcement.arguments)
            try appendDetails(announcement.isDeepLink, announcement.adaptedFrom, to: body)
        }
    }

    func send(_ navigation: Navigation) throws {
        try output.signal(
            BusNames.Interface.flow, "NavigationOccurred", at: navigation.flow, "ttssa{sv}a(ssoa{sv})a{sv}"
        ) { body in
            try body.append(navigation.serial)
            try body.append(navigation.cause)
            try body.append(navigation.client.name)
            try body.append(navigation.step)
            try body.append(navigation.arguments)
            try body.append(navigation.contributions)
            try appendDetails(navigation.isDeepLink, navigation.adaptedFrom, to: body)
        }
    }

    /// Appends each of the details only if it applies, because an entry costs every receiver.
    private func appendDetails(_ isDeepLink: Bool, _ adaptedFrom: String?, to body: Marshaller) throws {
        try body.openContainer(.array, "{sv}")
        if let adaptedFrom { try body.appendEntry("adaptedFrom", "s") { body in try body.append(adaptedFrom) } }
        if isDeepLink { try body.appendEntry("deepLink", "b") { body in try body.append(true) } }
        try body.closeContainer()
    }

    func send(_ failure: NavigationFailure) throws {
        try output.signal(BusNames.Interface.flow, "NavigationFailed", at: failure.flow, "tsssss") { body in
            try body.append(failure.cause)
            try body.append(failure.client.name)
            try body.append(failure.step)
            let texts = failure.reason.busTexts
            try body.append(texts.verdict)
            try body.append(texts.errorName)
            try body.append(failure.message)
        }
    }

    /// To the emitter alone.
    func send(_ conclusion: Conclusion) throws {
        try output.signal(
            BusNames.Interface.stepper, "StepConcluded", at: conclusion.path, to: conclusion.client.name, "stsss"
        ) { body in
            try body.append(conclusion.token)
            try body.append(outcome: conclusion.outcome)
        }
    }

    /// To the asker alone.
    func send(_ answered: Answered) throws {
        try output.signal(
            BusNames.Interface.stepper, "Answered", at: answered.path, to: answered.client.name, "ssa{sv}"
        ) { body in
            try body.append(answered.answer)
        }
    }

    func sendStackChanged(_ screens: [StackedScreen], on name: String) throws {
        try output.signal(BusNames.Interface.coordinator, "StackChanged", at: Self.root, "sa(ota{sv})") { body in
            try body.append(name)
            try body.append(screens)
        }
    }

    func sendBackChanged(_ preview: BackPreview, at path: String) throws {
        try output.signal(BusNames.Interface.flow, "BackChanged", at: path, "sa{sv}") { body in
            try body.append(preview)
        }
    }

    /// To the owner alone.
    func sendSightChanged(_ isInSight: Bool, of path: String, to owner: Client) throws {
        try output.signal(
            BusNames.Interface.presentable, "SightChanged", at: path, to: owner.name, "b"
        ) { body in
            try body.append(isInSight)
        }
    }

    /// To the owner alone.
    func send(_ news: ContextNews) throws {
        try output.signal(
            BusNames.Interface.presentable, "ContextChanged", at: news.path, to: news.client.name, "a{sv}"
        ) { body in
            try body.append(news.values)
        }
    }

    func sendDefinitionsChanged() throws {
        definitionsText.drop()
        try output.signal(BusNames.Interface.coordinator, "DefinitionsChanged", at: Self.root)
    }
}

extension Daemon {
    fileprivate static let root = "\(BusNames.root)"

    /// `Durable` changed.
    func sendDurable(_ isDurable: Bool) throws {
        try sendCoordinator("Durable", "b") { body in try body.append(isDurable) }
    }

    /// The values of the coordinator's context changed.
    func sendContext(_ values: Arguments) throws {
        try sendCoordinator("Context", "a{sv}") { body in try body.append(values) }
    }

    /// A property of the coordinator changed.
    private func sendCoordinator(
        _ property: StaticString, _ signature: StaticString, _ value: (Marshaller) throws -> Void
    ) throws {
        try sendChanged(Self.root, BusNames.Interface.coordinator) { body in
            try body.openContainer(.array, "{sv}")
            try body.appendEntry(property, signature, value)
            try body.closeContainer()
        }
    }
}

// MARK: - Objects that come, change and go

extension Daemon {
    func sendAdded(_ state: PresentableState) throws {
        try output.signal(BusNames.Interface.objectManager, "InterfacesAdded", at: Self.root, "oa{sa{sv}}") { body in
            try body.append(path: state.path)
            try body.append(state)
        }
    }

    func sendRemoved(_ path: String, isFlow: Bool) throws {
        try output.signal(BusNames.Interface.objectManager, "InterfacesRemoved", at: Self.root, "oas") { body in
            try body.append(path: path)
            try body.openContainer(.array, "s")
            for interface in BusNames.Interface.standard { try body.append(interface) }
            try body.append(BusNames.Interface.stepper)
            try body.append(BusNames.Interface.presentable)
            if isFlow { try body.append(BusNames.Interface.flow) }
            try body.closeContainer()
        }
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
        _ path: String, _ interface: StaticString, _ properties: (Marshaller) throws -> Void
    ) throws {
        try output.signal(BusNames.Interface.properties, "PropertiesChanged", at: path, "sa{sv}as") { body in
            try body.append(interface)
            try properties(body)
            // No property is only invalidated.
            try body.appendEmptyArray("s")
        }
    }
}
