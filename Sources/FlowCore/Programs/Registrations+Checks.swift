// Whether a client may register a flow (S-32, S-33).

extension Registrations {
    /// Refuses a registration that is not possible now; it may replace an earlier one of the same flow.
    ///
    /// - Parameters:
    ///   - definitions: the definitions in force.
    ///   - accounting: the quotas and the usage of clients.
    func check(
        _ candidate: Registration, inPlaceOf former: Registration?, _ definitions: Definitions, _ accounting: Accounting
    ) throws(FlowError) {
        var (others, known) = (all, definitions)
        if let former {
            others.removeAll { $0.flow == former.flow }
            known = files.adding(others)
        }
        try check(candidate, besides: others, in: known, accounting)
        try checkDeclarations(of: candidate, besides: others)
    }

    /// Refuses a registration that is not valid, whatever others there are. For a restored registration this check is
    /// enough: it was valid among the others before.
    func check(
        _ candidate: Registration, besides others: [Registration], in definitions: Definitions, _ accounting: Accounting
    ) throws(FlowError) {
        guard Names.isPresentableName(candidate.flow), candidate.flow != "root" else {
            throw FlowError(
                .invalidName,
                "'\(Names.escaped(candidate.flow))' can't be the name of a flow: \(Names.presentableNameRule), and not 'root'"
            )
        }
        if let other = others.first(where: { $0.flow == candidate.flow }) {
            throw FlowError(.alreadyRegistered, "flow '\(candidate.flow)' is registered by '\(other.client.name)'")
        }
        guard definitions.flow(named: candidate.flow) == nil else {
            throw FlowError(.alreadyRegistered, "flow '\(candidate.flow)' is defined by a file")
        }
        let quota = accounting.quotas.flows
        try checkCount(others.count { isOfSame($0, candidate) }, quota.perClient) {
            "'\(candidate.client.name)' has registered \($0) flows"
        }
        if let user = accounting.user(of: candidate.client) {
            let all = others.count { accounting.user(of: $0.client) == user }
            try checkCount(all, quota.share) { "the clients of user '\(user)' have registered \($0) flows" }
        }
        try checkCount(others.count, quota.total) { "\($0) flows are registered in total" }
        guard !candidate.steps.isEmpty, candidate.steps.count <= accounting.quotas.declarationsPerFlow else {
            throw FlowError(
                candidate.steps.isEmpty ? .invalidArguments : .limitExceeded,
                "flow '\(candidate.flow)' would take \(candidate.steps.count) steps; it has to be at least one and at most "
                    + "\(accounting.quotas.declarationsPerFlow)")
        }
        guard candidate.children != .layers || !candidate.layers.isEmpty else {
            throw FlowError(
                .invalidArguments,
                "flow '\(candidate.flow)' would have children = \"layers\", which only definition files can name")
        }
        if let result = candidate.result { try check(result, of: "the result of flow '\(candidate.flow)'") }
        try checkScreens(of: candidate, atMost: accounting.quotas.declarationsPerFlow)
        try checkBytes(of: candidate, besides: others, accounting)
        for step in candidate.steps { try check(step, of: candidate, in: definitions) }
        if let initial = candidate.initial, !candidate.steps.contains(where: { $0.name == initial }) {
            throw FlowError(
                .invalidArguments,
                "the initial step '\(Names.escaped(initial))' is none of the steps of flow '\(candidate.flow)'"
                    + Names.suggestion(for: initial, among: candidate.steps.lazy.map(\.name)))
        }
    }

    private func checkBytes(
        of candidate: Registration, besides others: [Registration], _ accounting: Accounting
    ) throws(FlowError) {
        let more = candidate.byteCount
        let user = accounting.user(of: candidate.client)
        var (own, ofUser, total) = (0, 0, 0)
        for registration in others {
            let count = registration.byteCount
            total += count
            if isOfSame(registration, candidate) { own += count }
            if user != nil, accounting.user(of: registration.client) == user { ofUser += count }
        }
        func check(_ count: Int, _ most: Int, of who: @autoclosure () -> String) throws(FlowError) {
            if count + more <= most { return }
            throw FlowError(
                .limitExceeded,
                "the steps and screens of flow '\(candidate.flow)' take \(more) bytes beside the \(count) \(who()), of at most "
                    + "\(most)")
        }
        let quota = accounting.quotas.declarations
        try check(own, quota.perClient, of: "of '\(candidate.client.name)'")
        if let user { try check(ofUser, quota.share, of: "of the clients of user '\(user)'") }
        try check(total, quota.total, of: "in total")
    }

    private func checkCount(_ count: Int, _ most: Int, _ text: (Int) -> String) throws(FlowError) {
        guard count < most else { throw FlowError(.limitExceeded, "\(text(count)) of at most \(most)") }
    }

    /// Compares bus names, too, because a registration that the bus can start again outlives its client.
    private func isOfSame(_ registration: Registration, _ candidate: Registration) -> Bool {
        registration.client == candidate.client || registration.service.name == candidate.service.name
    }

    private func check(
        _ step: StepDeclaration, of candidate: Registration, in definitions: Definitions
    ) throws(FlowError) {
        guard Names.isStepName(step.name) else {
            throw FlowError(
                .invalidName, "'\(Names.escaped(step.name))' can't be the name of a step: \(Names.stepNameRule)")
        }
        guard candidate.steps.count(where: { $0.name == step.name }) == 1 else {
            throw FlowError(.invalidArguments, "step '\(step.name)' is given more than once")
        }
        try check(step.parameters, of: "step '\(step.name)'")
        guard let known = definitions.step(named: step.name).map({ definitions[$0] }) else { return }
        guard known.parameters == step.parameters.sorted(by: { $0.name < $1.name }) else {
            throw FlowError(
                .invalidArguments,
                "step '\(step.name)' is declared with other arguments: \(known.parameters.signature); the same step has to "
                    + "have the same ones everywhere")
        }
    }

    private func check(_ parameters: [Parameter], of subject: @autoclosure () -> String) throws(FlowError) {
        guard parameters.count <= Limits.argumentCount else {
            throw FlowError(
                .limitExceeded,
                "\(subject()) would have \(parameters.count) arguments of at most \(Limits.argumentCount)")
        }
        for parameter in parameters {
            guard Names.isPresentableName(parameter.name) else {
                throw FlowError(
                    .invalidName,
                    "'\(Names.escaped(parameter.name))' can't be the name of an argument: \(Names.presentableNameRule)")
            }
            guard parameters.count(where: { $0.name == parameter.name }) == 1 else {
                let text = "the argument '\(parameter.name)' of \(subject()) is given more than once"
                throw FlowError(.invalidArguments, text)
            }
        }
    }
}

// MARK: - Screens that come with a flow

extension Registrations {
    private func checkScreens(of candidate: Registration, atMost most: Int) throws(FlowError) {
        guard candidate.screens.count <= most else {
            throw FlowError(
                .limitExceeded,
                "flow '\(candidate.flow)' would bring \(candidate.screens.count) screens of at most "
                    + "\(most)")
        }
        var names: Set<String> = []
        for screen in candidate.screens {
            guard Names.isPresentableName(screen.name), screen.name != "root" else {
                throw FlowError(
                    .invalidName,
                    "'\(Names.escaped(screen.name))' can't be the name of a screen: \(Names.presentableNameRule), and not "
                        + "'root'")
            }
            guard names.insert(screen.name).inserted else {
                throw FlowError(.invalidArguments, "screen '\(screen.name)' is given more than once")
            }
            try check(screen.parameters, of: "screen '\(screen.name)'")
            let (key, arguments) = (screen.key, screen.parameters.map(\.name))
            if !key.isEmpty,
                let problem = KeyRule.problem(with: key, of: "screen '\(screen.name)'", arguments)
            {
                throw FlowError(.invalidArguments, problem.text)
            }
            if let result = screen.result { try check(result, of: "the result of screen '\(screen.name)'") }
        }
    }

    /// A declared screen has to be the same: the file's, or that of another flow of the same client.
    private func checkDeclarations(
        of candidate: Registration, besides others: [Registration]
    ) throws(FlowError) {
        var brought: [String: ScreenDeclaration] = [:]
        for screen in candidate.screens {
            guard let declared = files.screen(named: screen.name) else {
                brought[screen.name] = screen
                continue
            }
            try check(screen, like: files[declared])
        }
        if brought.isEmpty { return }
        for registration in others {
            for known in registration.screens {
                guard let screen = brought[known.name] else { continue }
                guard isOfSame(registration, candidate) else {
                    throw FlowError(
                        .alreadyRegistered,
                        "screen '\(screen.name)' is registered by '\(registration.client.name)', with flow "
                            + "'\(registration.flow)'")
                }
                try check(screen, like: known)
                guard known.presenter == screen.presenter else {
                    let (known, new) = (known.presenter?.service, screen.presenter?.service)
                    throw FlowError(
                        .invalidArguments,
                        "screen '\(screen.name)' would be presented by '\(new?.name ?? "")' at '\(new?.path ?? "")'; with "
                            + "flow '\(registration.flow)' it is by '\(known?.name ?? "")' at '\(known?.path ?? "")', and has "
                            + "to be the same")
                }
                guard known == screen else {
                    throw FlowError(
                        .invalidArguments,
                        "screen '\(screen.name)' is declared with other options by flow '\(registration.flow)'; the same "
                            + "screen has to have the same ones everywhere")
                }
            }
        }
    }

    private func check(_ screen: ScreenDeclaration, like known: ScreenDeclaration) throws(FlowError) {
        guard known.parameters == screen.parameters else {
            throw FlowError(
                .invalidArguments,
                "screen '\(screen.name)' is declared with other arguments: \(known.parameters.signature); the same screen "
                    + "has to have the same ones everywhere")
        }
        guard known.result == screen.result else {
            throw FlowError(
                .invalidArguments,
                "screen '\(screen.name)' is declared with another result: \(known.result?.signature ?? "it declares none"); "
                    + "the same screen has to have the same one everywhere")
        }
    }
}

extension [Parameter] {
    /// The arguments or values and their types, as text for people.
    fileprivate var signature: String {
        if isEmpty { return "none" }
        return map { "\($0.name): \($0.type.description)\($0.isOptional ? "?" : "")" }.joined(separator: ", ")
    }
}
