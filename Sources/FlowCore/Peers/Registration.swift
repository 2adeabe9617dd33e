/// The wish to implement a flow (`RegisterFlow`).
public struct Registration: Equatable, Sendable {
    /// A screen that comes with a flow.
    public struct Screen: Equatable, Sendable {
        /// The screen's name.
        public var name: String
        /// Its arguments.
        public var parameters: [Parameter]

        /// A screen of this name.
        public init(_ name: String, parameters: [Parameter] = []) {
            self.name = name
            self.parameters = parameters
        }
    }

    /// The flow's name.
    public var flow: String
    /// The object that is its navigator.
    public var service: Service
    /// The steps that it takes.
    public var steps: [StepDeclaration]
    // A list and no more, as each step is an ``Event``, which is as large as the largest of its kinds.
    /// The screens that come with it (``bring(_:presentedAt:)``); empty: none.
    public private(set) var screens: [ScreenDeclaration]
    /// Whether that object is its guard, too.
    public var hasGuard: Bool
    /// Who covers whom among its children.
    public var children: Children
    /// The name of the step that it triggers on itself when it starts; nil: none.
    public var initial: String?
    /// Who registers it.
    public var client: Client
    /// Whether the bus can start its process again, so that the definition stays when that is gone (S-32).
    public var isActivatable: Bool

    /// The wish for a flow of this name.
    public init(
        _ flow: String, at service: Service, steps: [StepDeclaration], hasGuard: Bool = false,
        children: Children = .free, initial: String? = nil, by client: Client, isActivatable: Bool = false
    ) {
        self.flow = flow
        self.service = service
        self.steps = steps
        screens = []
        self.hasGuard = hasGuard
        self.children = children
        self.initial = initial
        self.client = client
        self.isActivatable = isActivatable
    }

    /// Brings screens along, in place of those that it had. Their presenter is where the navigator is, by its bus name, at
    /// this path; nil: the navigator's own object.
    public mutating func bring(_ screens: [Screen], presentedAt path: String? = nil) {
        let presenter = Presenter.service(
            Service(service.name, path: path ?? service.path, timeout: Limits.presenterTimeout))
        self.screens = screens.map { screen in
            ScreenDeclaration(
                screen.name, parameters: screen.parameters.sorted { $0.name < $1.name }, presenter: presenter)
        }
    }

    /// The path of the object that presents its screens; nil: it has none.
    public var presenterPath: String? { screens.first?.presenter?.service.path }

    /// What its steps and screens count for (S-33), each with its arguments as GetSteps tells them.
    var byteCount: Int {
        steps.reduce(0) { $0 + Self.byteCount($1.name, $1.parameters) }
            + screens.reduce(0) { $0 + Self.byteCount($1.name, $1.parameters) }
    }

    private static func byteCount(_ name: String, _ parameters: [Parameter]) -> Int {
        parameters.reduce(Limits.argumentNameBytes + name.utf8.count) { bytes, parameter in
            bytes + Limits.argumentNameBytes + parameter.name.utf8.count + parameter.type.signature.utf8.count
        }
    }
}

extension Definitions {
    /// These definitions and the flows that clients implement. The numbers of what was declared stay.
    func adding(_ registrations: [Registration]) -> Definitions {
        if registrations.isEmpty { return self }
        var steps = steps
        var places: [String: StepID] = [:]
        for (place, step) in steps.enumerated() { places[step.name] = StepID(place) }
        var screens = screens
        var declared = Set(screens.lazy.map(\.name))
        var flows = flows
        for registration in registrations {
            for step in registration.steps where places[step.name] == nil {
                places[step.name] = StepID(steps.count)
                steps.append(
                    StepDeclaration(step.name, parameters: step.parameters.sorted { $0.name < $1.name }))
            }
            // What a file declares stays the file's; so does what another flow of the same client brought before.
            for screen in registration.screens where declared.insert(screen.name).inserted { screens.append(screen) }
            let own = Set(registration.steps.compactMap { places[$0.name] })
            flows.append(
                FlowDefinition(
                    registration.flow, initial: registration.initial.flatMap { places[$0] },
                    children: registration.children,
                    guard: registration.hasGuard ? Guard(registration.service) : nil,
                    navigator: Navigator(registration.service, steps: own)))
        }
        return Definitions(steps: steps, screens: screens, flows: flows, autostart: autostart)
    }
}
