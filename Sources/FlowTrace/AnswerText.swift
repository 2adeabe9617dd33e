import FlowCore

// Answers of other processes in the lines of events.

extension TraceFields {
    static let guardAnswer = TraceField<GuardAnswer>(
        "answer of a guard",
        [
            TraceCase("step", GuardAnswer.step, step, arguments) {
                if case .step(let step, let arguments) = $0 { (step, arguments) } else { nil }
            },
            TraceCase("rejected", .rejected),
            TraceCase("failed", GuardAnswer.failed, text) {
                if case .failed(let message) = $0 { message } else { nil }
            },
            TraceCase("timed-out", .timedOut),
        ])

    static let navigatorAnswer = TraceField<NavigatorAnswer>(
        "answer of a navigator",
        [
            TraceCase("contributors", NavigatorAnswer.contributors, contributor.list) {
                if case .contributors(let contributors) = $0 { contributors } else { nil }
            },
            TraceCase("unhandled", .unhandled),
            TraceCase("failed", NavigatorAnswer.failed, text) {
                if case .failed(let message) = $0 { message } else { nil }
            },
            TraceCase("timed-out", .timedOut),
        ])

    static let presenterAnswer = TraceField<PresenterAnswer>(
        "answer of a presenter",
        [
            TraceCase("presented", PresenterAnswer.presented, client, report) {
                if case .presented(let client, let report) = $0 { (client, report) } else { nil }
            },
            TraceCase("failed", { .failed($0 ?? Fault("", "")) }, fault.option("because")) {
                if case .failed(let fault) = $0 { .some(fault.name.isEmpty ? nil : fault) } else { nil }
            },
            TraceCase("timed-out", .timedOut),
        ])

    static let aliveAnswer = TraceField<AliveAnswer>(
        "answer of an owner",
        [
            TraceCase("alive", .alive), TraceCase("unsupported", .unsupported), TraceCase("silent", .silent),
        ])

    static let fault = TraceField(text, text, make: { Fault($0, $1) }) { ($0.name, $0.message) }

    // MARK: - Contributors

    static let contributor = TraceField<FlowContributor>(
        "contributor",
        [
            child("screen", screen, ChildTemplate.Presentable.screen) {
                if case .screen(let id) = $0 { id } else { nil }
            },
            child("flow", flow, ChildTemplate.Presentable.flow) { if case .flow(let id) = $0 { id } else { nil } },
            TraceCase("pop-root", .pop(.root)),
            TraceCase("pop", { .pop(.to($0)) }, keyedName) { if case .pop(.to(let name)) = $0 { name } else { nil } },
            TraceCase("show", FlowContributor.show, keyedName) { if case .show(let name) = $0 { name } else { nil } },
            TraceCase("hide", FlowContributor.hide, keyedName) { if case .hide(let name) = $0 { name } else { nil } },
            TraceCase("evict", .evict),
            TraceCase("move", FlowContributor.move, bindingSource) {
                if case .move(let source) = $0 { source } else { nil }
            },
            TraceCase("set", FlowContributor.set, binding.list) {
                if case .set(let bindings) = $0 { bindings } else { nil }
            },
            TraceCase("dismiss", FlowContributor.dismiss, keyedName) {
                if case .dismiss(let name) = $0 { name } else { nil }
            },
            TraceCase("current", FlowContributor.current, template) {
                if case .current(let template) = $0 { template } else { nil }
            },
            TraceCase("parent", FlowContributor.parent, template) {
                if case .parent(let template) = $0 { template } else { nil }
            },
            TraceCase("end", .end(nil)),
            TraceCase("end-with", FlowContributor.end, template) {
                if case .end(let template) = $0 { template } else { nil }
            },
            TraceCase("answer", FlowContributor.answer, source("arguments")) {
                if case .answer(let source) = $0 { source } else { nil }
            },
        ])

    /// A name, whose values of a key have a word before them.
    private static let keyedName = TraceField(
        text, flag("is-screen"), flag("is-flow"), binding.list.option("of-key")
    ) {
        KeyedName($0, isFlow: $2 ? true : $1 ? false : nil, key: $3 ?? [])
    } take: {
        ($0.name, $0.isFlow == false, $0.isFlow == true, $0.key.isEmpty ? nil : $0.key)
    }

    /// A child: its name, and options. Each option has a word before it, and none of these words begins a contributor.
    private static func child<ID>(
        _ word: String, _ id: TraceField<ID>, _ make: @escaping @Sendable (ID) -> ChildTemplate.Presentable,
        take: @escaping @Sendable (ChildTemplate.Presentable) -> ID?
    ) -> TraceCase<FlowContributor> {
        TraceCase(
            word,
            {
                .child(
                    ChildTemplate(
                        make($0), id: $1, arguments: $2, step: $3, stepArguments: $4, style: $5, whenHidden: $6,
                        reuses: $7, raises: $8, clears: $9, layer: $10, onDismissed: $11, onResult: $12))
            },
            id, text.option("id"), source("arguments"), step.option("step"), source("step-arguments"),
            text.option("style"), oneOf(WhenHidden.self).option("when-hidden"), flag("reuse"), flag("raise"),
            flag("clear"),
            text.option("layer"), template.option("on-dismissed"), template.option("on-result")
        ) {
            guard case .child(let child) = $0, let id = take(child.presentable) else { return nil }
            return (
                id, child.id, child.arguments, child.step, child.stepArguments,
                child.style, child.whenHidden,
                child.reuses, child.raises, child.clears, child.layer, child.onDismissed,
                child.onResult
            )
        }
    }

    private static let template = TraceField(step, source("arguments")) {
        StepTemplate($0, arguments: $1)
    } take: {
        ($0.step, $0.arguments)
    }

    /// Arguments after a word; inherited ones are left out.
    private static func source(_ word: String) -> TraceField<ArgumentSource> {
        binding.list.option(word).mapped({ $0.map(ArgumentSource.given) ?? .inherited }) {
            if case .given(let bindings) = $0 { bindings } else { nil }
        }
    }

    private static let binding = TraceField(text, bindingSource, make: { Binding($0, $1) }) { ($0.name, $0.source) }

    static let bindingSource = TraceField<Binding.Source>(
        "source of an argument",
        [
            TraceCase("literal", Binding.Source.literal, value) {
                if case .literal(let value) = $0 { value } else { nil }
            },
            TraceCase("of-step", Binding.Source.step, text) { if case .step(let name) = $0 { name } else { nil } },
            TraceCase("of-flow", Binding.Source.flow, text) { if case .flow(let name) = $0 { name } else { nil } },
            TraceCase("of-output", .output),
            TraceCase("of-context", Binding.Source.context, text) {
                if case .context(let name) = $0 { name } else { nil }
            },
            TraceCase("of-result", Binding.Source.result, text) {
                if case .result(let name) = $0 { name } else { nil }
            },
            TraceCase("of-asked", Binding.Source.asked, text) { if case .asked(let name) = $0 { name } else { nil } },
            TraceCase("child-name", .childName), TraceCase("reason", .reason), TraceCase("error", .error),
            TraceCase("message", .message),
        ])
}
