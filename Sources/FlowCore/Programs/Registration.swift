/// A request to implement a flow (`RegisterFlow`).
public struct Registration: Equatable, Sendable {
    /// The flow's name.
    public var flow: String
    /// The object that is its navigator.
    public var service: Service
    /// The steps that the flow takes.
    public var steps: [StepDeclaration]
    // Only a list: it is part of ``Event``, and every event is as large as the largest kind.
    /// The screens that come with it (``bring(_:presentedAt:)``); may be empty.
    public private(set) var screens: [ScreenDeclaration]
    /// Whether that object is its guard, too.
    public var hasGuard: Bool
    /// Which child covers the others.
    public var children: Children
    /// The layers of its children, the lowest first, if those are ``Children/layers``: of a program's own coordinator alone, as
    /// RegisterFlow takes none (S-32).
    public var layers: [Layer] = []
    /// What becomes of the flow when it is empty; nil: a child goes, a root stays (S-36).
    public var whenEmpty: WhenEmpty?
    /// The name of its initial step; nil if it has none.
    public var initial: String?
    /// The values that the flow can answer with, sorted by name (S-45); nil if it can't answer.
    public var result: [Parameter]? { didSet { result?.sort { $0.name < $1.name } } }
    /// The client that registers it.
    public var client: Client
    /// Whether the bus can start the client again, so that the definition stays when the client is gone (S-32).
    public var isActivatable: Bool

    /// Creates a registration.
    public init(
        _ flow: String, at service: Service, steps: [StepDeclaration], hasGuard: Bool = false,
        children: Children = .free, whenEmpty: WhenEmpty? = nil, initial: String? = nil, by client: Client,
        isActivatable: Bool = false
    ) {
        self.flow = flow
        self.service = service
        self.steps = steps
        screens = []
        self.hasGuard = hasGuard
        self.children = children
        self.whenEmpty = whenEmpty
        self.initial = initial
        self.client = client
        self.isActivatable = isActivatable
    }

    /// Sets the screens that come with the flow. Their presenter has the navigator's bus name and this path; nil for the
    /// navigator's own object.
    public mutating func bring(_ screens: [ScreenDeclaration], presentedAt path: String? = nil) {
        let presenter = Presenter.service(
            Service(service.name, path: path ?? service.path, timeout: Limits.presenterTimeout))
        self.screens = screens.map { screen in
            var screen = screen
            screen.parameters.sort { $0.name < $1.name }
            screen.key.sort()
            screen.result?.sort { $0.name < $1.name }
            screen.presenter = presenter
            return screen
        }
    }

    /// The path of the object that presents its screens; nil if it has no screens.
    public var presenterPath: String? { screens.first?.presenter?.service.path }

    /// The usage of its steps and screens, with their arguments as GetSteps returns them, and of results (S-33).
    var byteCount: Int {
        steps.reduce(0) { $0 + Self.byteCount($1.name, $1.parameters) }
            + screens.reduce(0) { $0 + Self.byteCount($1.name, $1.parameters + ($1.result ?? [])) }
            + (result.map { Self.byteCount("", $0) } ?? 0)
    }

    private static func byteCount(_ name: String, _ parameters: [Parameter]) -> Int {
        parameters.reduce(Limits.argumentNameBytes + name.utf8.count) { bytes, parameter in
            bytes + Limits.argumentNameBytes + parameter.name.utf8.count + parameter.type.signature.utf8.count
        }
    }
}

extension Definitions {
    /// These definitions with registered flows. The numbers of existing declarations stay.
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
            // Declarations of files, and of other flows of the same client, take precedence.
            for screen in registration.screens where declared.insert(screen.name).inserted { screens.append(screen) }
            let own = Set(registration.steps.compactMap { places[$0.name] })
            flows.append(
                FlowDefinition(
                    registration.flow, result: registration.result,
                    initial: registration.initial.flatMap { places[$0] },
                    children: registration.children, layers: registration.layers, whenEmpty: registration.whenEmpty,
                    guard: registration.hasGuard ? Guard(registration.service) : nil,
                    navigator: Navigator(registration.service, steps: own)))
        }
        return Definitions(
            steps: steps, screens: screens, flows: flows, autostart: autostart, steppers: steppers, context: context,
            outputSetter: outputSetter)
    }
}
