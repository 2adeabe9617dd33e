internal import FlowCore

// Questions of the host to the flows: how to adapt a step, and where it leads.

extension FlowCoordinator: HostDelegate {
    package func adapt(_ question: HostQuestion, _ answer: @escaping @FlowActor (AdaptAnswer) -> Void) {
        // This flow's types do not have the step, so it cannot adapt it. The host will find it unhandled.
        if let kind = kind(asked: question), !kind.takes(question.step.name) {
            return answer(.step(question.step))
        }
        // It was asked when the step was taken the first time.
        if restoration(of: question) != nil { return answer(.step(question.step)) }
        do throws(NavigationError) {
            let (node, flow, step) = try decode(question)
            // The previous answer was either applied and reported, or discarded.
            node.contributed = nil
            // Whoever started the flow does not wait for one that takes its time.
            if !node.adapt(step, by: flow, for: host, answer) { endStart(of: question.flow) }
        } catch {
            answer(.failed(error.message))
        }
    }

    package func navigate(_ question: HostQuestion, _ answer: @escaping @FlowActor (NavigateAnswer) -> Void) {
        do throws(NavigationError) {
            let (node, flow, step) = try decode(question)
            node.contributed = nil
            asked = node
            announcements.send(UpcomingNavigation(flow: flow, step: step, path: node.path))
            try contribute(flow._contributors(to: step), at: node, question, answer)
        } catch {
            answer(.failed(error.message))
        }
    }

    /// Returns the flow that a question is for, and its decoded step.
    private func decode(
        _ question: HostQuestion
    ) throws(NavigationError) -> (node: HostedNode, flow: any Flow, step: any Step) {
        guard let node = node(for: question), let flow = node.flow, let kind = kind(asked: question) else {
            throw NavigationError(
                .unknownObject, "there is no object of '\(question.definition)' for the flow '\(question.flow)'")
        }
        do throws(StepError) {
            return (node, flow, try node.step(question.step, of: kind))
        } catch {
            throw NavigationError(error)
        }
    }

    /// Returns the node that a question is for. A flow without an object is created now.
    private func node(for question: HostQuestion) -> HostedNode? {
        if let node = question.place.node { return node }
        if let node = node(at: question.flow) { return remember(node, at: question.place) }
        let awaited = awaitedRoots.first { $0.definition == question.definition }
        if question.isFromThisProcess, question.flow.parent == nil, let awaited {
            begin(awaited, at: question.flow)
        } else if let flow = kinds[question.definition]?.make?() {
            begin(ContributedChild(flow, NoneStepper()), at: question.flow)
        }
        return node(at: question.flow)
    }

    /// Notes the node and the type of a flow, so that the next question finds them.
    private func remember(_ node: HostedNode, at place: FlowPlace) -> HostedNode {
        (place.node, place.kind, node.place) = (node, kinds[place.definition], place)
        return node
    }

    /// The type of the flow that is asked.
    func kind(asked question: HostQuestion) -> FlowKind? { question.place.kind ?? kinds[question.definition] }

    /// Answers a question with the contributors of a flow. Their children wait here for their paths.
    private func contribute(
        _ contributors: consuming FlowContributors, at node: HostedNode, _ question: HostQuestion,
        _ answer: @escaping @FlowActor (NavigateAnswer) -> Void
    ) throws(NavigationError) {
        let restoration = restoration(of: question)
        var list: [FlowContributor]
        switch consume contributors {
        case .none: return answer(.contributors([]))
        case .unhandled: return answer(.unhandled)
        case .one(let contributor): list = [contributor]
        case .multiple(let contributors): list = contributors
        // The end of a flow is no child to restore.
        case .end where restoration != nil, .answer where restoration != nil: list = []
        case .end(let step):
            return answer(.contributors([.step(.end, step.isNone ? nil : try encode(step))]))
        case .answer(let result): return answer(.contributors([.end(with: try self.result(result, question))]))
        }
        var (applied, all) = (Contributed(), [NamedContributor]())
        if let restoration { (list, applied.places) = restoration.kept(of: list) }
        for (place, contributor) in list.enumerated() {
            switch contributor {
            case .forwardToCurrentFlow(let step):
                if !step.isNone { all.append(.step(.current, try encode(step))) }
            case .forwardToParentFlow(let step): if !step.isNone { all.append(.step(.parent, try encode(step))) }
            case .contribute:
                guard let child = contributor.makeChild() else { continue }
                if restoration != nil { child.initialSteps = [] }
                for step in takeInitialSteps(of: child, isLast: place == list.lastChild, question) {
                    all.insert(.step(.current, step), at: applied.leadingSteps)
                    applied.leadingSteps += 1
                }
                let named = try self.contributor(child, question)
                applied.children.append(NamedChild(name: named.name, child: child))
                all.append(named)
            case .contributeFlow(
                let name, let step, let arguments, let style, let allowsStepWhenNotPresented, let onResult, let options
            ):
                try checkIsNamed(onResult)
                let name = hostName(ofFlow: name)
                applied.children.append(NamedChild(name: name, child: nil))
                all.append(
                    try self.child(
                        .flow, name, restoration == nil ? step : NoneStep(), arguments, style,
                        allowsStepWhenNotPresented, onResult, options, question))
            case .contributeScreen(
                let name, let step, let arguments, let style, let allowsStepWhenNotPresented, let onResult, let options
            ):
                try checkIsNamed(onResult)
                applied.children.append(NamedChild(name: name, child: nil))
                all.append(
                    try self.child(
                        .screen, name, restoration == nil ? step : NoneStep(), arguments, style,
                        allowsStepWhenNotPresented, onResult, options, question))
            case .pop(let name, let key): all.append(.live(.pop, hostName(ofChild: name), key))
            case .popToRoot: all.append(NamedContributor(.pop, "root"))
            case .showChild(let name, let key): all.append(.live(.show, hostName(ofChild: name), key))
            case .hideChild(let name, let key): all.append(.live(.hide, hostName(ofChild: name), key))
            case .dismissChild(let name, let key): all.append(.live(.dismiss, hostName(ofChild: name), key))
            case .setContext(let values):
                all.append(NamedContributor(.set, "", [.arguments: .arguments(Arguments(values))]))
            }
        }
        if applied.children.isEmpty { return answer(.contributors(all)) }
        try registerIfNeeded(applied.children.compactMap(\.child), by: question) { [all] result in
            switch result {
            case .success: answer(.contributors(all))
            case .failure(let error): answer(.failed(error.message))
            }
        }
        // The host reports later that the contributors were applied.
        node.contributed = applied
    }

    /// Takes those initial steps of a new screen that do not wait: they are forwarded to the flow before its own forwards, which is
    /// their place in the order of S-8.
    ///
    /// All steps of a screen that is shown already, and so is presented as soon as it is there. Of one whose steps are taken in any
    /// case, those after the first, which the host has.
    private func takeInitialSteps(
        of child: ContributedChild, isLast: @autoclosure () -> Bool, _ question: HostQuestion
    ) -> [StepMessage] {
        if child.initialSteps.isEmpty { return [] }
        guard let kind = kind(asked: question), !child.presentableType.isFlow else { return [] }
        // The newest child of a stack covers the others. That of tabs does, too, but a child that is shown is selected.
        let isUncovered = kind.type.children != .stack || isLast()
        let isPresented = isUncovered && report(at: question.flow)?.isPresented == true && child.isShown
        guard isPresented || child.allowsStepWhenNotPresented else { return [] }
        let kept = isPresented ? 0 : 1
        var taken: [StepMessage] = []
        // What can't be sent is reported later.
        for step in child.initialSteps.dropFirst(kept) {
            guard let message = try? encode(step), kind.catalog.has(message.name) else { break }
            taken.append(message)
        }
        if !taken.isEmpty { child.initialSteps.removeSubrange(kept..<kept + taken.count) }
        return taken
    }

    /// Encodes the result of a flow, which has to be of its type.
    private func result(
        _ result: any Sendable, _ question: HostQuestion
    ) throws(NavigationError) -> FlowCore.Arguments {
        guard let type = kind(asked: question)?.type as? any Answering.Type else {
            throw NavigationError(
                .notSupported, "the flow '\(question.definition)' ends with a result, but does not conform to Answering"
            )
        }
        return try host.message(of: try type.given(result), node(at: question.flow)?.onResult)
    }

    private func contributor(
        _ child: ContributedChild, _ question: HostQuestion
    ) throws(NavigationError) -> NamedContributor {
        try self.child(
            child.presentableType.isFlow ? .flow : .screen, hostName(of: child.presentable),
            child.initialSteps.first ?? NoneStep(), nil, child.presentable.style, child.allowsStepWhenNotPresented,
            child.onResult, child.options, question)
    }

    /// The object of a child that is contributed by name can be in another program, where there is no closure.
    private func checkIsNamed(_ step: ResultStep?) throws(NavigationError) {
        guard step?.maker != nil else { return }
        throw NavigationError(
            .notSupported,
            "'onResult' of a child that is contributed by its name is the name of a step, and no closure that makes one"
        )
    }

    /// The step for a result, with the name that it has at the host.
    private func resultStep(_ step: ResultStep?, _ question: HostQuestion) throws(NavigationError) -> ResultStep? {
        guard let step, let catalog = kind(asked: question)?.catalog else { return step }
        if let maker = step.maker { return ResultStep(try host.name(of: maker, in: catalog)) }
        let arguments = question.step.step.map { LocalSteps.resolve(step.arguments, from: $0) } ?? step.arguments
        return ResultStep(catalog.name(ofCase: step.name), arguments: arguments)
    }

    private func child(
        _ kind: NamedContributor.Kind, _ name: String, _ step: any Step, _ arguments: [String: DBusValue]?,
        _ style: String,
        _ allowsStepWhenNotPresented: Bool, _ onResult: ResultStep?, _ options: ChildOptions, _ question: HostQuestion
    ) throws(NavigationError) -> NamedContributor {
        let catalog = self.kind(asked: question)?.catalog
        var named = NamedContributor.child(
            kind, name, step: step.isNone ? nil : try encode(step), arguments: arguments.map(Arguments.init),
            style: style, whenHidden: allowsStepWhenNotPresented ? .allow : nil,
            onResult: try resultStep(onResult, question))
        try options.apply(to: &named) { step throws(NavigationError) in
            try encode(step)
        } name: {
            catalog?.name(ofCase: $0) ?? $0
        }
        return named
    }
}

extension [FlowContributor] {
    /// The place of the last one that adds a child.
    var lastChild: Int? { lastIndex { $0.isChild } }
}

extension FlowContributor {
    /// The child that it adds, with its object; nil for any other contributor.
    @FlowActor
    fileprivate func makeChild() -> ContributedChild? {
        guard
            case .contribute(let presentable, let stepper, let allowsStepWhenNotPresented, let onResult, let options) =
                self
        else { return nil }
        return ContributedChild(
            presentable, stepper, allowsStepWhenNotPresented: allowsStepWhenNotPresented, onResult: onResult,
            options: options)
    }

    /// Whether it adds a child.
    var isChild: Bool {
        switch self {
        case .contribute, .contributeFlow, .contributeScreen: true
        case .forwardToCurrentFlow, .forwardToParentFlow, .pop, .popToRoot, .showChild, .hideChild, .dismissChild,
            .setContext:
            false
        }
    }
}
