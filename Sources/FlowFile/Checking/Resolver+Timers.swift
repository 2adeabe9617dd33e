import FlowCore

/// Times, and the timers of flows: `idle` (S-34) and the others (S-55).
extension Resolver {
    /// The idle steps: one, or a list of them, each later than the one before.
    func stages(_ item: Item) -> [TimedStep] {
        let what = "a table: { after = \"60s\", step = \"NAME\" }, or a list of such tables"
        guard let items = item.items else { return idle(item, what).map { [$0] } ?? [] }
        if items.isEmpty {
            diagnostics.error(item.location, "the list is empty; leave 'idle' out where nothing happens")
        }
        var stages: [TimedStep] = []
        for item in items {
            guard let stage = idle(item, "a table: { after = \"60s\", step = \"NAME\" }") else { continue }
            if let before = stages.last?.after.microseconds, let after = stage.after.microseconds, after <= before {
                diagnostics.error(
                    item.location.key("after"),
                    "\(Text.quoted(item["after"]?.text ?? "")) is not later than the stage before; the time of each stage "
                        + "counts from the last step that reached the flow, and has to be longer than the one before")
            }
            stages.append(stage)
        }
        return stages
    }

    private func idle(_ item: Item, _ what: String) -> TimedStep? {
        guard let table = item.section(diagnostics, what) else { return nil }
        let isClean = table.checkKeys(diagnostics, of: "the table 'idle'", ["after", "step", "whenHidden"])
        if isClean, table["after"] == nil {
            diagnostics.error(table.location, "'idle' needs a time: after = \"60s\"")
        }
        let after = table["after"].flatMap { span($0) }
        guard let timed = timedStep(table, after, of: "idle", isClean: isClean, whenHidden: .allow) else { return nil }
        if let after = timed.after.microseconds, after <= Limits.touchPause, let item = table["after"] {
            diagnostics.warning(
                item.location,
                "\(Text.quoted(item.text ?? "")) is so short that no call of Touch puts the step off: within 1 s of a step "
                    + "or another Touch it has no effect")
        }
        return timed
    }

    /// The step that the table of a timer names, which needs no arguments.
    private func timedStep(
        _ table: Section, _ after: Span?, of key: String, isClean: Bool, whenHidden usual: WhenHidden
    ) -> TimedStep? {
        if isClean, table["step"] == nil {
            diagnostics.error(table.location, "'\(key)' has to name its step: step = \"NAME\"")
        }
        let step = table["step"].flatMap { stepWithoutArguments($0, of: key) }
        let whenHidden: WhenHidden? = table["whenHidden"]?.word(diagnostics)
        guard let after, let step else { return nil }
        return TimedStep(after: after, step: step, whenHidden: whenHidden ?? usual)
    }

    // MARK: Timers

    /// The timers of a flow.
    func timers(_ item: Item) -> [FlowTimer] {
        guard let items = item.list(diagnostics, "a list of tables: [[flows.NAME.timers]]") else { return [] }
        if items.isEmpty {
            diagnostics.error(item.location, "the list is empty; leave 'timers' out where nothing happens")
        }
        if items.count > Limits.timers {
            diagnostics.error(
                item.location, "the flow has \(items.count) timers; at most \(Limits.timers) are allowed")
        }
        return items.compactMap { timer($0) }
    }

    private func timer(_ item: Item) -> FlowTimer? {
        guard let table = item.section(diagnostics, "a table: { every = \"20s\", step = \"NAME\" }") else { return nil }
        let isClean = table.checkKeys(
            diagnostics, of: "a timer", ["after", "every", "since", "step", "whenHidden"])
        let time = table["after"] ?? table["every"]
        if isClean, time == nil || (table["after"] != nil && table["every"] != nil) {
            diagnostics.error(
                table.location,
                "a timer has either 'after', for one step, or 'every', for one again and again: every = \"20s\"")
        }
        let since: FlowTimer.Since? = table["since"]?.word(diagnostics)
        let after = time.flatMap { span($0, in: TimeSpan.ofTimers) }
        guard let timed = timedStep(table, after, of: "timers", isClean: isClean, whenHidden: .ignore) else {
            return nil
        }
        return FlowTimer(since: since ?? .created, repeats: table["every"] != nil, timed)
    }

    // MARK: Times

    /// Returns a time span, in µs.
    func timeSpan(_ item: Item, in range: ClosedRange<UInt64> = TimeSpan.usual) -> UInt64? {
        guard let text = item.string(diagnostics, "a time span, such as '60s' or '1min 30s'") else { return nil }
        do throws(TimeSpan.Invalid) {
            return try TimeSpan.microseconds(text, in: range)
        } catch {
            diagnostics.error(item.location, error.text)
            return nil
        }
    }

    /// Returns a time span, or the value of the context that is one.
    func span(_ item: Item, in range: ClosedRange<UInt64> = TimeSpan.usual) -> Span? {
        guard let text = item.text, text.hasPrefix(Self.contextPrefix) else {
            return timeSpan(item, in: range).map { .fixed($0) }
        }
        let name = String(text.dropFirst(Self.contextPrefix.count))
        guard let declared = contextParameter(name, item.location) else { return nil }
        if let type = declared.type, type.signature != "s" {
            diagnostics.error(
                item.location,
                "the value '\(name)' of the context has the type \(type.description), and a time is a text, such as '5min'; "
                    + "declare it with type = \"string\"")
        }
        return .context(name)
    }

    /// Reports values of the context that are no times where one is needed: those that they begin with, and those that rules give them.
    func checkSpans(_ definitions: Definitions) {
        if definitions.spans.isEmpty { return }
        func check(_ name: String, _ value: Value, _ location: Location) {
            guard let fault = definitions.fault(ofSpan: name, value) else { return }
            diagnostics.error(
                location,
                "the value '\(name)' of the context is a time, or '\(TimeSpan.never)', as a definition refers to it: \(fault)"
            )
        }
        for value in definitions.context {
            guard let item = draft.context[value.name] else { continue }
            check(value.name, value.initial, (item["initial"] ?? item).location)
        }
        for flow in definitions.flows {
            for value in flow.context {
                guard let item = draft.flows[flow.name]?.keys["context"]?[value.name] else { continue }
                check(value.name, value.initial, (item["initial"] ?? item).location)
            }
            for rule in flow.rules {
                for case .set(let bindings) in rule.alternatives.flatMap(\.contributors) {
                    for binding in bindings {
                        guard case .literal(let value) = binding.source,
                            let location = ruleLocation(flow.name, definitions[rule.step].name)
                        else { continue }
                        check(binding.name, value, location)
                    }
                }
            }
        }
    }
}
