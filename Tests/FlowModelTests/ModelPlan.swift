import FlowCore

/// The result of the contributors of one alternative, computed completely before anything is applied (S-13).
struct ModelPlan {
    /// A child at some position of the list.
    enum Member {
        case live(ModelNode)
        case planned(Planned)

        var name: String {
            switch self {
            case .live(let node): node.name
            case .planned(let planned): planned.name
            }
        }
        var isFlow: Bool {
            switch self {
            case .live(let node): node.isFlow
            case .planned(let planned): planned.isFlow
            }
        }
        var arguments: Arguments {
            switch self {
            case .live(let node): node.arguments
            case .planned(let planned): planned.arguments
            }
        }
        var id: String {
            switch self {
            case .live(let node): node.id
            case .planned(let planned): planned.id
            }
        }
    }

    /// A child to create.
    final class Planned {
        let name: String
        let isFlow: Bool
        let definition: Int?
        let id: String
        let template: ChildTemplate
        var arguments: Arguments
        var layer: String?
        var style: String
        var initial: (step: StepID, arguments: Arguments)?
        var onResult: ModelNode.OnResult?
        var isDropped = false
        var node: ModelNode?

        init(
            _ name: String, _ definition: Int?, id: String, _ template: ChildTemplate, _ arguments: Arguments,
            _ initial: (step: StepID, arguments: Arguments)?
        ) {
            self.name = name
            self.definition = definition
            self.isFlow = definition != nil
            self.id = id
            self.template = template
            (layer, style) = (template.layer, template.style ?? "")
            self.arguments = arguments
            self.initial = initial
        }
    }

    /// A live child with the values of the last contributor that reuses it.
    final class Reused {
        let node: ModelNode
        var initial: (step: StepID, arguments: Arguments)?
        var onResult: ModelNode.OnResult?
        var isTriggered = false

        init(_ node: ModelNode) { self.node = node }
    }

    /// The entries of the list, in order.
    enum Part {
        case clear
        /// With the arguments it has at that place.
        case made(Planned, Arguments)
        /// With the style that is given there.
        case reusedPlanned(Planned, Arguments, style: String)
        case reused(Reused, Arguments, style: String)
        /// A live child gets another layer or style, nil for what stays (S-52).
        case place(Member, layer: String?, style: String?)
        case pop(Meant, newest: Member?)
        case raise(Member)
        case show(Meant, Member?)
        case hide(Meant, Member?)
        /// With the path of a child that was live before.
        case dismiss(Meant, path: String?)
        case evict
        /// Values of the context.
        case set(Arguments)
        /// The root moves to this output.
        case move(Argument)
        case current(StepID, Arguments)
        case parent(StepID, Arguments)
        case end(StepID?, Arguments)
        case answer(Arguments)
    }

    let flow: ModelNode
    var members: [Member]
    /// Removed children, in order.
    var removed: [ModelNode] = []
    var reused: [Reused] = []
    var parts: [Part] = []
    var settings: [ModelSetting] = []
    /// The output to which the root moves.
    var output: String?

    var ends: Bool {
        parts.contains {
            switch $0 {
            case .end, .answer: true
            default: false
            }
        }
    }
}

extension Model {
    func plan(_ contributors: [FlowContributor], _ step: ModelStep) throws(FlowError) -> ModelPlan {
        var plan = ModelPlan(flow: step.flow, members: step.flow.children.map(ModelPlan.Member.live))
        let references = References(step: step.arguments, flow: step.flow.arguments, place: step.flow)
        let clears = contributors.contains { if case .child(let it) = $0 { it.clears } else { false } }
        if clears {
            plan.parts.append(.clear)
            plan.removed = step.flow.children.reversed()
            plan.members = []
        }
        for contributor in contributors {
            switch contributor {
            case .child(let template): try add(template, references, to: &plan)
            case .pop(let pop): apply(pop, references, to: &plan)
            case .show(let name):
                let meant = Meant(name, references)
                let children = definitions.flows[step.flow.definition].children
                let member = plan.members.last { meant.fits($0) && ($0.isFlow || children == .tabs) }
                if children == .layers, let member { putLast(member, in: &plan) }
                plan.parts.append(.show(meant, member))
            case .hide(let name):
                let meant = Meant(name, references)
                plan.parts.append(.hide(meant, plan.members.last { meant.fits($0) && $0.isFlow }))
            case .dismiss(let name): dismiss(Meant(name, references), in: &plan)
            // No screen of the model's world has an owner.
            case .evict: plan.parts.append(.evict)
            case .set(let bindings):
                let settings = try settings(values(.given(bindings), [], references), step.flow)
                for setting in settings {
                    plan.settings.removeAll { $0.holder === setting.holder && $0.value.name == setting.value.name }
                }
                plan.settings += settings
                plan.parts.append(.set(settings.map(\.value)))
            case .move(let source):
                guard let output = values(.given([Binding("", source)]), [], references).first else { break }
                guard isOutput(output.value.text) else { throw FlowError(.invalidArguments) }
                plan.output = output.value.text
                plan.parts.append(.move(output))
            case .current(let it):
                plan.parts.append(.current(it.step, try resolve(it.arguments, for: it.step, references)))
            case .parent(let it):
                plan.parts.append(.parent(it.step, try resolve(it.arguments, for: it.step, references)))
            case .end(let it):
                var arguments: Arguments = []
                if let it { arguments = try resolve(it.arguments, for: it.step, references) }
                plan.parts.append(.end(it?.step, arguments))
            case .answer(let source):
                let flow = definitions.flows[step.flow.definition]
                guard let result = flow.result else { throw FlowError(.invalidArguments) }
                plan.parts.append(.answer(try resolve(source, result, isPrivate: !flow.isResultPublic, references)))
            }
        }
        try checkSize(plan.settings)
        return plan
    }

    private func add(
        _ template: ChildTemplate, _ references: References, to plan: inout ModelPlan
    ) throws(FlowError) {
        let (name, parameters, definition, defaultStep): (String, [Parameter], Int?, StepID?) =
            switch template.presentable {
            case .screen(let screen): (definitions[screen].name, definitions[screen].parameters, nil, nil)
            case .flow(let flow):
                (definitions[flow].name, definitions[flow].parameters, flow.index, definitions[flow].initial)
            }
        let arguments = try resolve(template.arguments, parameters, references)
        var initial: (step: StepID, arguments: Arguments)?
        if let step = template.step ?? defaultStep {
            initial = (step, try resolve(template.stepArguments, for: step, references))
        }
        let onResult = template.onResult.map { ModelNode.OnResult(template: $0, asked: references.step) }
        if template.reuses, let candidate = reusable(template, name, isFlow: definition != nil, arguments, in: plan) {
            switch candidate {
            case .live(let node):
                let reused = plan.reused.first { $0.node === node } ?? ModelPlan.Reused(node)
                if reused.initial == nil && !plan.reused.contains(where: { $0 === reused }) {
                    plan.reused.append(reused)
                }
                reused.initial = initial
                reused.onResult = onResult
                plan.parts.append(.reused(reused, arguments, style: template.style ?? ""))
                plan.parts.append(.place(candidate, layer: template.layer, style: template.style))
            case .planned(let planned):
                planned.arguments = arguments
                planned.initial = initial
                planned.onResult = onResult
                if let layer = template.layer { planned.layer = layer }
                if let style = template.style { planned.style = style }
                plan.parts.append(.reusedPlanned(planned, arguments, style: template.style ?? ""))
            }
            if template.raises || definitions.flows[plan.flow.definition].children == .layers {
                putLast(candidate, in: &plan)
                plan.parts.append(.raise(candidate))
            }
            return
        }
        let taken = Set(plan.members.map(\.id))
        if let id = template.id {
            guard Names.isPresentableName(id) else { throw FlowError(.invalidName) }
            guard !taken.contains(id) else { throw FlowError(.idTaken) }
        }
        let id = template.id ?? Self.freeID(name, taken)
        let path = plan.flow.path + "/" + id
        guard id.utf8.count <= Limits.nameLength, path.utf8.count <= Limits.pathLength,
            plan.flow.depth < Limits.depth
        else { throw FlowError(.limitExceeded) }
        let planned = ModelPlan.Planned(name, definition, id: id, template, arguments, initial)
        planned.onResult = onResult
        plan.members.append(.planned(planned))
        plan.parts.append(.made(planned, arguments))
    }

    /// Returns the name, with the smallest free number if it is taken (S-1).
    static func freeID(_ name: String, _ taken: Set<String>) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name)_\(number)") { number += 1 }
        return "\(name)_\(number)"
    }

    /// The newest child, with tabs, layers or a raise the newest of that name, if it fits (S-19, S-37); with a key, the newest
    /// with the same values (S-51).
    private func reusable(
        _ template: ChildTemplate, _ name: String, isFlow: Bool, _ arguments: Arguments, in plan: ModelPlan
    ) -> ModelPlan.Member? {
        let key =
            switch template.presentable {
            case .screen(let screen): definitions[screen].key
            case .flow(let flow): definitions[flow].key
            }
        if !key.isEmpty {
            let meant = Meant(name, isFlow, key.map { ($0, arguments[$0]) })
            return plan.members.last { meant.fits($0) }
        }
        func fits(_ member: ModelPlan.Member) -> Bool { member.name == name && member.isFlow == isFlow }
        if [.tabs, .layers].contains(definitions.flows[plan.flow.definition].children) || template.raises {
            return plan.members.last(where: fits)
        }
        return plan.members.last.flatMap { fits($0) ? $0 : nil }
    }

    /// Applies a pop at its position in the list (S-19).
    private func apply(_ pop: Pop, _ references: References, to plan: inout ModelPlan) {
        var (keeps, meant) = (plan.members.count, Meant("root", references))
        switch pop {
        case .root: keeps = min(1, keeps)
        case .to(let name):
            meant = Meant(name, references)
            keeps = (plan.members.lastIndex { meant.fits($0) }).map { $0 + 1 } ?? keeps
        }
        while plan.members.count > keeps { drop(plan.members.removeLast(), in: &plan) }
        plan.parts.append(.pop(meant, newest: plan.members.last))
    }

    private func drop(_ member: ModelPlan.Member, in plan: inout ModelPlan) {
        switch member {
        case .live(let node): plan.removed.append(node)
        case .planned(let planned): planned.isDropped = true
        }
    }

    /// Removes the newest child of a name; nobody knows the path of one that the list has created (S-37).
    private func dismiss(_ meant: Meant, in plan: inout ModelPlan) {
        var path: String?
        if let place = plan.members.lastIndex(where: { meant.fits($0) }) {
            let member = plan.members.remove(at: place)
            if case .live(let node) = member { path = node.path }
            drop(member, in: &plan)
        }
        plan.parts.append(.dismiss(meant, path: path))
    }

    /// The child becomes the newest (S-37).
    private func putLast(_ member: ModelPlan.Member, in plan: inout ModelPlan) {
        plan.members.removeAll { $0.id == member.id }
        plan.members.append(member)
    }
}
