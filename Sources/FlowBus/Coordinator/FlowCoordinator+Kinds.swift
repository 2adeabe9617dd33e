internal import FlowCore

// The flow types that this coordinator can create, with their steps and screens, and the roots it starts.

extension FlowCoordinator {
    /// Returns the kind of a flow type. Its ``FlowKind/isRegistered`` is false if the host does not know it yet.
    private func kind(of type: any Flow.Type) throws(NavigationError) -> FlowKind {
        let definition = hostName(of: type)
        if let known = kinds[definition] {
            guard known.type == type else {
                throw NavigationError(
                    .alreadyRegistered,
                    TypeNames.collision(known.type, type, "flow '\(definition)'", "static let definition"))
            }
            return known
        }
        if let problem = type.namespace.problem(of: type) { throw NavigationError(.invalidName, problem) }
        guard Names.isPresentableName(definition), definition != "root" else {
            throw NavigationError(
                .invalidName,
                "declare 'static let definition' in '\(type)': '\(Names.escaped(definition))' can't be the name of a flow: "
                    + "\(Names.presentableNameRule), and not 'root'")
        }
        let timeout = type.timeout.microseconds
        guard Limits.answerTimeouts.contains(timeout) else {
            throw NavigationError(
                .invalidArguments,
                "the flow '\(definition)' has the timeout \(type.timeout); it has to be at least 10 ms and at most 1 hour"
            )
        }
        // On the bus, a definition file has the layers.
        if (type.children == .layers) == type.layers.isEmpty, !host.keepsTree {
            let problem =
                type.layers.isEmpty
                ? "children in layers, but no layers; declare 'static let layers: [Layer]', the lowest first"
                : "layers, but its children are '.\(type.children.rawValue)'; declare 'static let children = Children.layers'"
            throw NavigationError(.invalidArguments, "the flow '\(definition)' has \(problem)")
        }
        let catalog: StepCatalog
        do throws(StepError) { catalog = try host.catalog(of: type.steps) } catch { throw NavigationError(error) }
        let registration = FlowRegistration(
            name: definition, steps: catalog.declarations, screens: [], result: try result(of: type),
            isGuarded: type.isGuarded, children: type.children, layers: type.layers,
            timeout: timeout,
            swiftNames: SwiftNames(flow: StepError.name(of: type), steps: catalog.caseNames))
        return FlowKind(type, catalog, registration)
    }

    /// Returns the values that flows or screens of a type answer with; nil if they do not answer.
    private func result(of type: any Presentable.Type) throws(NavigationError) -> [Parameter]? {
        guard let answering = type as? any Answering.Type else { return nil }
        do throws(StepError) { return try host.result(of: answering) } catch { throw NavigationError(error) }
    }

    /// Registers a flow type and the new screens of a request with the host, if the host does not know them yet.
    ///
    /// No flow begins before the host has answered: if it refuses the name, another program has it, and that program's
    /// flow would begin.
    ///
    /// - Parameters:
    ///   - request: the flow type and its screens.
    ///   - done: receives the result, possibly before this method returns.
    private func registerIfNeeded(_ request: FlowKindRequest, _ done: @escaping Done<Void>) {
        let kind: FlowKind
        do throws(NavigationError) { kind = try self.kind(of: request.type) } catch { return done(.failure(error)) }
        let name = kind.registration.name
        let new = request.screens.filter { !kind.registration.screens.contains($0) }
        guard registering[name] == nil else {
            registering[name]?.append { [weak self] in self?.registerIfNeeded(request, done) }
            return
        }
        if kind.isRegistered, new.isEmpty {
            if let make = request.make { kinds[name]?.make = make }
            return done(.success(()))
        }
        registering[name] = []
        var registration = kind.registration
        registration.screens += new
        host.register(registration) { [weak self, registration] result in
            guard let self else { return done(result) }
            if case .success = result {
                kind.registration = registration
                kind.isRegistered = true
                if let make = request.make { kind.make = make }
                kinds[name] = kind
                let ownName = kind.type.definition
                if ownName != name { flowNames[ownName] = name }
            }
            let waiting = registering.removeValue(forKey: name) ?? []
            done(result)
            for next in waiting { next() }
        }
    }

    /// Registers several flow types in order, and stops at the first that the host refuses.
    private func registerIfNeeded(_ requests: ArraySlice<FlowKindRequest>, _ done: @escaping Done<Void>) {
        guard let first = requests.first else { return done(.success(())) }
        registerIfNeeded(first) { [weak self] result in
            guard case .success = result, let self else { return done(result) }
            registerIfNeeded(requests.dropFirst(), done)
        }
    }

    func register<F: Flow>(_ type: F.Type, _ make: @escaping @FlowActor () -> F, _ done: @escaping Done<Void>) {
        registerIfNeeded(FlowKindRequest(type: type, make: make), done)
    }

    /// Registers the flow types and screens that a flow contributes, as far as they are new.
    ///
    /// - Parameters:
    ///   - children: the contributed presentables.
    ///   - question: the question that the flow answers.
    ///   - done: receives the result.
    /// - Throws: ``NavigationError`` if a name or a type is invalid; nothing is registered then.
    func registerIfNeeded(
        _ children: [ContributedChild], by question: HostQuestion, _ done: @escaping Done<Void>
    ) throws(NavigationError) {
        guard let asked = kind(asked: question) else { return done(.success(())) }
        var requests: [FlowKindRequest] = []
        var screens: [ScreenDeclaration] = []
        var types: [String: any Presentable.Type] = [:]
        var names: [String: String] = [:]
        for child in children {
            let key = Arguments(child.options.key).sorted { $0.name < $1.name }
            if let flow = child.flow {
                guard key.isEmpty else {
                    throw NavigationError(
                        .notSupported,
                        "'key' of '\(type(of: flow))': it is for screens; a flow that a program implements has no arguments"
                    )
                }
                if try !kind(of: type(of: flow)).isRegistered { requests.append(FlowKindRequest(type: type(of: flow))) }
                continue
            }
            let ownName = child.presentable.name
            let type = type(of: child.presentable)
            if let problem = type.namespace.problem(of: type) { throw NavigationError(.invalidName, problem) }
            let screen = host.name(of: type, ownName)
            if screen != ownName { names[ownName] = screen }
            // Classes can declare one name for all of them.
            if ownName == TypeNames.name(of: type) {
                if let known = screenTypes[screen] ?? types[screen], known != type {
                    throw NavigationError(
                        .alreadyRegistered,
                        TypeNames.collision(known, type, "screen '\(screen)'", "name"))
                }
                types[screen] = type
            }
            let result = try result(of: type)
            let parameters = key.compactMap { argument in
                ValueType(signature: argument.value.signature).map { Parameter(argument.name, $0) }
            }
            if let known = (asked.registration.screens + screens).first(where: { $0.name == screen }) {
                guard known.result == result else {
                    throw NavigationError(
                        .invalidArguments,
                        "the screen '\(screen)' of type '\(type)' has another Answer than the one of that "
                            + "name that was contributed before; give it another name")
                }
                guard known.parameters == parameters else {
                    throw NavigationError(
                        .invalidArguments,
                        "the screen '\(screen)' of type '\(type)' has another key, or one with other types, than the one of that "
                            + "name that was contributed before; give it another name")
                }
                continue
            }
            guard Names.isPresentableName(screen), screen != "root" else {
                throw NavigationError(
                    .invalidName,
                    "declare 'name' in '\(type)': '\(Names.escaped(screen))' can't be the name of a screen: "
                        + "\(Names.presentableNameRule), and not 'root'")
            }
            screens.append(
                ScreenDeclaration(screen, parameters: parameters, key: parameters.map(\.name), result: result))
        }
        if !screens.isEmpty { requests.append(FlowKindRequest(type: asked.type, screens: screens)) }
        registerIfNeeded(requests[...]) { [weak self] result in
            if case .success = result {
                self?.screenTypes.merge(types) { known, _ in known }
                self?.screenNames.merge(names) { _, new in new }
            }
            done(result)
        }
    }

    /// Reports an error that no caller is waiting for.
    func notify(_ error: NavigationError, at path: NodePath, step: String = "") {
        report(NavigationFailure(path: path, step: step, error))
    }

    // MARK: Roots

    /// Starts a root after those that were requested earlier.
    func coordinate(_ root: Root, _ done: @escaping Done<NodePath>) {
        do throws(NavigationError) {
            let step = root.child.initialSteps.first
            let kind = try kind(of: type(of: root.flow))
            let initial = try step.map { step throws(NavigationError) in try encode(step) }
            if let step, let initial, !kind.catalog.has(initial.name) {
                throw NavigationError(
                    .unknownStep,
                    "the flow '\(kind.registration.name)' can't begin with the step '\(initial.name)': the type "
                        + "'\(type(of: step))' is not among its steps; list it there, or give another stepper "
                        + "('NoneStepper()' for none)")
            }
            requestedRoots.append(AwaitedRoot(root: root, initial: initial, done: done))
            startRoots()
        } catch {
            done(.failure(error))
        }
    }

    private func startRoots() {
        if isStartingRoot || requestedRoots.isEmpty { return }
        isStartingRoot = true
        let request = requestedRoots.removeFirst()
        registerIfNeeded(FlowKindRequest(type: type(of: request.root.flow))) { [weak self] result in
            guard let self else { return }
            isStartingRoot = false
            switch result {
            case .success: start(request)
            case .failure(let error): request.done(.failure(error))
            }
            startRoots()
        }
    }

    private func start(_ request: AwaitedRoot) {
        let root = request.root
        awaitedRoots.append(root)
        startingRoots.begin()
        host.coordinate(
            root.definition, request.initial, allowsStepWhenNotPresented: root.child.allowsStepWhenNotPresented
        ) { [weak self] result in
            guard let self else { return request.done(result) }
            // The first question may already have given the root its path.
            let isAwaited = awaitedRoots.contains { $0 === root }
            awaitedRoots.removeAll { $0 === root }
            if case .success(let path) = result, isAwaited, report(at: path) != nil { begin(root, at: path) }
            // A flow that is gone, or ready, has taken its initial step.
            let path = try? result.get()
            let isUnderWay = request.initial != nil && path.flatMap { report(at: $0) }?.isReady == false
            if !startingRoots.end(waitingFor: isUnderWay ? path : nil, request.done) { request.done(result) }
        }
    }

    func encode(_ step: any Step) throws(NavigationError) -> StepMessage {
        try host.message(of: step)
    }
}

// MARK: - Names

extension FlowCoordinator {
    /// The word before the names of this program on the bus (``BusNamespace``); empty in one process, and where there is none.
    public var namespace: String { host.namespace }

    /// The name of a flow type at the host.
    func hostName(of type: any Flow.Type) -> String { host.name(of: type, type.definition) }

    /// The name of a flow or screen at the host.
    func hostName(of presentable: any Presentable) -> String {
        host.name(of: type(of: presentable), presentable.contributedName)
    }

    /// The name at the host of a flow that is given by its name: one of this program by its own, one of another by what it is there.
    func hostName(ofFlow name: String) -> String { flowNames[name] ?? name }

    /// The name at the host of a child that is given by its name.
    func hostName(ofChild name: String) -> String { screenNames[name] ?? flowNames[name] ?? name }
}

/// A flow type to register, with the screens it contributes.
struct FlowKindRequest {
    var type: any Flow.Type
    var screens: [ScreenDeclaration] = []
    var make: (@FlowActor () -> any Flow)?
}

/// A root that waits for its start.
struct AwaitedRoot {
    let root: Root
    let initial: StepMessage?
    let done: Done<NodePath>
}

extension Duration {
    /// The duration in microseconds, clamped to the range of `UInt64`.
    package var microseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000_000) }
}
