import FlowCore
import FlowFile
import Testing

/// Random definitions as a text.
@Suite("Random definitions as text")
struct DefinitionTextTests {
    @Test(arguments: 0..<20)
    func `what was written is read as the same definitions, unless no file may say it`(round: UInt64) throws {
        var read = 0
        for seed in round * 50..<(round + 1) * 50 {
            var generator = DefinitionGenerator(seed: seed, isWild: seed.isMultiple(of: 4))
            let definitions = generator.make().withFittingArguments
            let text = try definitions.fileText(hidesPrivateValues: false)
            do throws(DefinitionFailure) {
                let same = try DefinitionFiles.definitions(in: text)
                #expect(same == definitions, "seed \(seed): \(text)")
                read += 1
            } catch {
                // The model has steps that loop, and two roots of one id. The syntax is right.
                #expect(!error.diagnostics.contains { $0.message.contains("parsing") }, "seed \(seed): \(error)")
            }
        }
        #expect(read >= 25, "\(read) of 50")
    }
}

extension Definitions {
    /// The same, but everything has the same arguments, all of them optional: so all that is given or inherited fits.
    fileprivate var withFittingArguments: Definitions {
        // Flows that stand in layers have to say it (S-36).
        let haveLayers = flows.contains { $0.children == .layers }
        let parameters = ["int64", "string"].compactMap(ValueType.init(name:)).map {
            Parameter($0.signature == "x" ? "n" : "t", $0, isOptional: true)
        }
        // What is referred to is declared.
        let declared = Set((context + flows.flatMap(\.context)).map(\.name))
        let missing = [("c", "string", Value.string("x")), ("k", "int64", .int64(0)), ("t", "string", .string("2s"))]
            .compactMap { name, type, value in
                declared.contains(name)
                    ? nil : ValueType(name: type).map { ContextDeclaration(name, $0, initial: value) }
            }
        return Definitions(
            steps: steps.map {
                StepDeclaration($0.name, parameters: parameters, isPrivate: $0.isPrivate, isInput: $0.isInput)
            },
            screens: screens.map {
                ScreenDeclaration(
                    $0.name, parameters: parameters, key: $0.key, keepsAwake: $0.keepsAwake,
                    result: $0.result.map { _ in parameters }, isResultPublic: $0.isResultPublic)
            },
            flows: flows.map { flow in
                FlowDefinition(
                    flow.name, parameters: parameters, key: flow.key, result: flow.result.map { _ in parameters },
                    isResultPublic: flow.isResultPublic,
                    initial: flow.initial, children: flow.children,
                    layers: flow.layers, covers: flow.covers, isUnique: flow.isUnique, whenHidden: flow.whenHidden,
                    // What a disk keeps can have no private key (S-51).
                    announces: flow.announces, isRestored: false,
                    whenEmpty: flow.whenEmpty ?? (haveLayers ? .stay : nil),
                    onBack: flow.onBack, idle: flow.idle, timers: flow.timers,
                    emitters: flow.emitters, ownersMayEmit: flow.ownersMayEmit,
                    rules: flow.rules.map { Rule($0.step, $0.reachable.map(\.fitting)) }, context: flow.context)
            },
            autostart: autostart.map {
                Autostart(
                    $0.flow, id: $0.id, arguments: $0.arguments.fitting, step: $0.step,
                    stepArguments: $0.stepArguments.fitting, output: $0.output, isPerOutput: $0.isPerOutput,
                    whenOutputGone: $0.whenOutputGone)
            }, steppers: steppers.map(\.fitting), context: (context + missing).sorted { $0.name < $1.name },
            outputSetter: outputSetter)
    }
}

extension StepperDefinition {
    fileprivate var fitting: StepperDefinition {
        var source = source
        if case .property(let name, let absent) = source { source = .property(name, absent: absent?.fitting) }
        return StepperDefinition(
            flow, bus: bus, name: name, object: object, interface: interface, source: source, step: step,
            bindings: bindings.map {
                guard case .literal(let value) = $0.source else { return $0 }
                return Binding($0.name, .literal(value.fitting))
            }, startsService: startsService)
    }
}

extension Rule {
    /// The alternatives up to the first one without a condition.
    fileprivate var reachable: ArraySlice<Alternative> {
        let last = alternatives.firstIndex { $0.when.isEmpty && $0.unless.isEmpty }
        return alternatives[...(last ?? alternatives.count - 1)]
    }
}

extension Value {
    fileprivate var fitting: Value { if case .byte(let number) = self { .int64(Int64(number)) } else { self } }
}

extension Arguments {
    fileprivate var fitting: Arguments { map { Argument($0.name, $0.value.fitting) } }
}

extension Alternative {
    fileprivate var fitting: Alternative {
        Alternative(
            when: when.map(\.fitting), unless: unless.map(\.fitting), contributors: contributors.map(\.fitting))
    }
}

extension Condition {
    fileprivate var fitting: Condition {
        switch self {
        case .argument(let name, let value): .argument(name, value.fitting)
        case .alive(let name): .alive(name.fitting)
        case .context(let name, let value): .context(name, value.fitting)
        case .same(let one, let other): .same(one, Binding("", other).fitting.source)
        }
    }
}

extension FlowContributor {
    fileprivate var fitting: FlowContributor {
        switch self {
        case .child(let child):
            .child(
                ChildTemplate(
                    child.presentable, id: child.id == "1" ? "y" : child.id, arguments: child.arguments.fitting,
                    step: child.step, stepArguments: child.stepArguments.fitting, style: child.style,
                    whenHidden: child.whenHidden, reuses: child.reuses, raises: child.raises,
                    clears: child.clears, layer: child.layer,
                    onDismissed: child.onDismissed?.fitting, onResult: child.onResult?.fitting))
        case .move(let source): .move(Binding("", source).fitting.source)
        case .set(let bindings): .set(bindings.map(\.fitting))
        case .pop(.to(let name)): .pop(.to(name.fitting))
        case .show(let name): .show(name.fitting)
        case .hide(let name): .hide(name.fitting)
        case .dismiss(let name): .dismiss(name.fitting)
        case .pop(.root), .evict: self
        case .current(let step): .current(step.fitting)
        case .parent(let step): .parent(step.fitting)
        case .end(let step): .end(step?.fitting)
        case .answer(let source): .answer(source.fitting)
        }
    }
}

extension StepTemplate {
    fileprivate var fitting: StepTemplate { StepTemplate(step, arguments: arguments.fitting) }
}

extension ArgumentSource {
    fileprivate var fitting: ArgumentSource {
        guard case .given(let bindings) = self else { return self }
        return .given(bindings.map(\.fitting))
    }
}

extension Binding {
    fileprivate var fitting: Binding {
        guard case .literal(let value) = source else { return self }
        return Binding(name, .literal(value.fitting))
    }
}

extension KeyedName {
    fileprivate var fitting: KeyedName { KeyedName(name, isFlow: isFlow, key: key.map(\.fitting)) }
}
