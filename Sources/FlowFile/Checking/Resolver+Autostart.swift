import FlowCore

extension Resolver {
    /// Returns the roots that start with the daemon, in file order.
    func autostarts() -> [Autostart] {
        var taken: [String: Location] = [:]
        var unique: [Int: Location] = [:]
        return draft.autostart.compactMap { autostart($0, &taken, &unique) }
    }

    private func autostart(_ item: Item, _ taken: inout [String: Location], _ unique: inout [Int: Location])
        -> Autostart?
    {
        guard let table = item.section(diagnostics) else { return nil }
        let isClean = table.checkKeys(
            diagnostics, of: "an autostart",
            ["flow", "id", "arguments", "step", "stepArguments", "output", "per", "whenOutputGone"])
        if table["flow"] == nil, isClean {
            diagnostics.error(table.location, "an autostart has to name its flow: flow = \"NAME\"")
        }
        let flow = table["flow"].flatMap { self.flow($0) }
        let id = table["id"]?.string(diagnostics)
        if let id { checkPresentableName(id, "a presentable", table.location.key("id"), diagnostics) }
        let arguments = fixedArguments("arguments", table, for: flow?.draft.declared)
        let given = table["step"].map { self.step($0) }
        let initial: ResolvedStep?
        if let given { initial = given } else { initial = flow.flatMap { self.initial(of: $0.draft) } }
        if let item = table["stepArguments"], given == nil, let flow, flow.draft.keys["initial"] == nil {
            diagnostics.error(
                item.location, "\(flow.draft.declared.subject) has no initial step, so nothing takes these arguments")
        }
        let stepArguments = fixedArguments("stepArguments", table, for: initial?.declared)
        let isPerOutput = isPerOutput(table)
        let output = table["output"].flatMap { self.output($0, isPattern: isPerOutput) }
        let whenOutputGone: WhenOutputGone? = table["whenOutputGone"]?.word(diagnostics)
        guard let flow else { return nil }
        if isPerOutput {
            checkEach(id ?? flowName(flow.id), flow.draft, table)
        } else {
            checkID(id, table, flow.id, &taken)
            checkUnique(flow.id, flow.draft, table, &unique)
        }
        return Autostart(
            flow.id, id: id, arguments: arguments, step: given.flatMap { $0 }?.id, stepArguments: stepArguments,
            output: output ?? (isPerOutput ? "*" : ""), isPerOutput: isPerOutput,
            whenOutputGone: whenOutputGone ?? .keep)
    }

    func output(_ item: Item, isPattern: Bool) -> String? {
        guard let text = item.string(diagnostics) else { return nil }
        guard Names.isOutput(text) else {
            diagnostics.error(
                item.location,
                isPattern
                    ? "\(Text.quoted(text)) matches no output: it has to be \(Names.outputRule), in which '*' stands for any text and "
                        + "'?' for one character"
                    : "\(Text.quoted(text)) can't be the name of an output: \(Names.outputRule)")
            return nil
        }
        return text
    }

    /// Checks a requested id: it must not be taken, even by the default of an earlier root. Default ids are made unique
    /// instead (S-1).
    private func checkID(_ id: String?, _ table: Section, _ flow: FlowID, _ taken: inout [String: Location]) {
        guard let id else {
            let name = flowName(flow)
            if taken[name] == nil { taken[name] = table.location }
            return
        }
        if let other = taken[id] {
            diagnostics.error(
                table.location.key("id"),
                "the id \(Text.quoted(id)) is taken by the autostart in \(diagnostics.position(of: other)) already")
        } else {
            taken[id] = table.location
        }
    }

    private func checkUnique(_ flow: FlowID, _ draft: DraftFlow, _ table: Section, _ unique: inout [Int: Location]) {
        guard draft.keys["unique"]?.value == .bool(true) else { return }
        if let other = unique[flow.index] {
            diagnostics.error(
                table.location.key("flow"),
                "\(draft.declared.subject) is unique, and the autostart in \(diagnostics.position(of: other)) starts it "
                    + "already")
        } else {
            unique[flow.index] = table.location
        }
    }
}
