import Testing

@testable import FlowCore

/// A random world in which other processes own, guard, navigate and present, and vanish, answer late, or never.
final class RandomProcesses {
    var random: Seeded
    private(set) var coordinator: Coordinator
    private(set) var model = BusModel()
    private(set) var effects: [Effect] = []
    /// The events so far, for the output of a failure.
    private(set) var transcript: [String] = []
    private(set) var now: UInt64 = 0
    /// Unanswered calls, with their times and time limits.
    private(set) var unanswered: [RequestID: (at: UInt64, patience: UInt64)] = [:]
    /// Open questions.
    private(set) var asked: [QuestionID: Ask] = [:]
    /// The open questions whose time limit has passed.
    private var late: Set<QuestionID> = []
    /// Verdicts `pending` that were given, and those of them that were concluded.
    private(set) var pendings = 0
    private(set) var conclusions = 0
    /// Paths that reached their time limit during a step, which is concluded, too.
    private(set) var lateWalks = 0
    /// The calls by token.
    private(set) var tokens = TokenBook()
    /// Calls with a token that another call has already.
    private(set) var repeats: Set<RequestID> = []
    /// Repeated answers and questions.
    private(set) var faults: [String] = []
    /// The stored records, and their errors.
    private var archive = Archive()
    private(set) var restarts = 0
    /// The number of Presents of screens of registered flows.
    private(set) var brought = 0
    /// Calls of SaveState without an answer; and how often a Present had a state.
    private var saves: [RequestID: (instance: UInt64, state: Arguments)] = [:]
    private(set) var statesGivenBack = 0
    /// The evictions and the saved states.
    private(set) var evictions = EvictionBook()
    /// The number of screens that their owners finished, with a step for the result.
    private(set) var results = 0
    /// The answers to asks that were sent, or given with a Present.
    private(set) var answers = 0
    /// Acknowledged answers, by instance and token: nobody gets one again.
    private(set) var acknowledged: Set<String> = []
    /// How often an owner was asked whether it is alive and did not answer in time.
    private(set) var hangs = 0
    /// The number of repeated registrations of a live flow.
    private(set) var anew = 0
    private(set) var recordComplaints: [String] = []
    /// Differences between steps and their explanations.
    private(set) var explainComplaints: [String] = []
    private var requests: UInt64 = 0
    private var lastQuestion: UInt64 = 0
    private var clients = (0..<4).map { Client(":1.\($0)") }
    private var lastClient = 3
    let seed: UInt64

    enum Ask {
        case `guard`
        case navigator
        case presenter
        case owner
    }

    /// The number of effects and steps in a slice.
    private let sliceSize: Int

    init(seed: UInt64, sliceSize: Int = .max) {
        self.seed = seed
        self.sliceSize = sliceSize
        random = Seeded(seed: seed)
        let builder = RandomDefinitions.make(using: &random, withOthers: true)
        coordinator = Coordinator(definitions: builder.definitions, basePath: "")
        follow()
    }

    private var steps: [StepID] { coordinator.definitions.steps.indices.map { StepID($0) } }

    /// Handles a random event, or none, and what owners do that it tells to leave.
    func performRandomEvent() {
        performNextEvent()
        leaveEvicted()
        if transcript.count % 3 == 0 { evictOne() }
    }

    private func performNextEvent() {
        transcript.append("later")
        now += chance(3) ? 0 : UInt64.random(in: 0..<3_000_000, using: &random)
        if coordinator.forest.count > 100, let root = coordinator.forest.roots.first {
            return dismiss(coordinator.forest.id(of: root))
        }
        if coordinator.forest.count == 0 { return coordinate() }
        switch Int.random(in: 0..<40, using: &random) {
        case 0...1: coordinate()
        case 2: navigate()
        case 3: navigateAlong()
        case 4: wait()
        case 5: changeOwner()
        case 6: vanish()
        case 7: chance(3) ? reload() : registerOrNot()
        // After a reload, new nodes follow the new definitions and live ones the old: not comparable. The same applies
        // to a flow that is registered again.
        case 8 where chance(2) && !transcript.contains("reload") && isAsDefined: restart()
        case 9...10: registerOrNot()
        case 8...19: answer()
        default: act()
        }
    }

    /// Restarts the process on the same bus.
    private func restart() {
        let undecided = coordinator.undecided { $0.isAnswered }
        tokens.restart(coordinator.calls.all)
        let records = archive.records
        var rebuilt = Coordinator(definitions: coordinator.registrations.files, basePath: "")
        let owners = coordinator.nameOwners.owners.sorted { $0.key < $1.key }
        let known = Set(coordinator.registrations.files.busNames)
        let time = Instant(microseconds: now)
        for (name, owner) in owners where known.contains(name) {
            _ = rebuilt.handle(.nameOwnerChanged(name, owner: owner), at: time)
        }
        // Answers expire with the next event.
        var last = coordinator.copy()
        last.machine.expireAsks(at: time)
        let definitions = coordinator.definitions
        let cutOff = coordinator.pathsOfCalls
        evictions.restart(asked.keys)
        (model.watched, model.timer) = ([], nil)
        (unanswered, asked, late, lastQuestion, repeats) = ([:], [:], [], 0, [])
        coordinator = rebuilt
        transcript.append("restart")
        restarts += 1
        archive = Archive()
        take(coordinator.handle(.restored(records, onSameBus: true), at: time), isRestart: true)
        let delayed = effects.compactMap { effect -> UInt64? in
            guard case .reportDelay(let path, _, _, _) = effect, cutOff.contains(path) else { return nil }
            return coordinator.node(at: path)?.instance
        }
        archive.keep(coordinator.takeAllRecords(like: archive.found(records)))
        for (name, owner) in owners where !known.contains(name) {
            handle(.nameOwnerChanged(name, owner: owner), "name \(name)")
        }
        let (found, wanted) = (coordinator.comparable(besides: delayed), last.comparable(besides: delayed))
        if found != wanted {
            let after = Set(found.map { "\($0)" })
            let old = Set(wanted.map { "\($0)" })
            recordComplaints.append(
                "restored: \(after.subtracting(old).sorted()) for \(old.subtracting(after).sorted())")
        }
        if coordinator.definitions != definitions {
            recordComplaints.append("restored: \(coordinator.registrations.all.map(\.flow))")
        }
        // All callers count as having got `pending`.
        pendings += coordinator.undecided { _ in true } - undecided
    }

    private func act() {
        let live = coordinator.forest.preorder().map(coordinator.forest.id(of:))
        guard let node = live.randomElement(using: &random) else { return }
        let path = coordinator.path(of: node)
        let client = client()
        switch Int.random(in: 0..<14, using: &random) {
        case 0...4:
            var options = EmissionOptions(
                token: chance(3) ? ["t", "u", "v"].randomElement(using: &random) : nil,
                waits: !chance(4), activationToken: chance(4) ? "window" : nil, isInteractive: chance(2))
            let step = randomStep()
            let request = RequestID(requests + 1)
            if options.token == nil, requests % 3 == 0 { return ask(step, on: node, by: client, &options) }
            if let token = options.token {
                let isKnown = coordinator.remembersEmission(token, by: client, at: Instant(microseconds: now))
                if isKnown { repeats.insert(request) }
                tokens.call(request, token, by: client, isRepeated: isKnown)
            }
            call("emit \(step.index) on \(path) by \(client.name) \(options.token ?? "-")") {
                .stepEmitted($0, on: node, step: step, arguments: [], by: client, options: options)
            }
        case 5:
            let steps = (0..<3).map { _ in EmittedStep.step(randomStep(), []) }
            call("emit three on \(path)") { .stepsEmitted($0, on: node, steps, by: client) }
        case 6...7:
            let isVisible = chance(2)
            let report = chance(2) ? report() : ScreenReport()
            call("visible \(path) \(isVisible) \(report)") {
                .visibilityChanged($0, of: node, isVisible: isVisible, by: client, report)
            }
        case 8:
            call("claim \(path)") { .presentableClaimed($0, node, by: client) }
            if let slot = coordinator.forest.slot(of: node), coordinator.forest[slot].onResult != nil { finish(slot) }
            acknowledge()
        case 9:
            if chance(3) {
                var values = [Argument("c", .string(["x", "y", "z"].randomElement(using: &random) ?? ""))]
                if requests % 2 == 0 {
                    values.append(Argument("language", .string(["de", "en"][Int(requests / 2 % 2)])))
                }
                let flow = coordinator.isFlow(node) && chance(2) ? node : nil
                call("set \(values)") { .contextSet($0, values, of: flow, by: client) }
            } else if chance(2) {
                let output = ["left", "right", ""].randomElement(using: &random) ?? ""
                // Drawn numbers would change all other events.
                if requests % 3 == 0 { return setOutputs(output) }
                call("move \(path) to \(output)") { .rootMoved($0, node, to: output, by: client) }
            } else if chance(2) {
                cancelStep()
            } else {
                call("release \(path)") { .presentableReleased($0, node, by: client) }
            }
        case 10:
            guard chance(2), coordinator.isFlow(node) else { return goBack(node, by: client) }
            call("ready? \(path)") { .readinessAwaited($0, of: node, by: client) }
        case 11: call("touch \(path)") { .presentableTouched($0, node, by: client) }
        case 12:
            let owner = coordinator.forest[node.slot].owner ?? client
            let step = chance(4) ? nil : randomStep()
            if requests % 2 == 0 {
                call("back step of \(path)") { .backStepSet($0, of: node, step, by: owner) }
            } else {
                call("title of \(path)") { .titleSet($0, of: node, step == nil ? "" : "Title", by: owner) }
            }
        default: dismiss(node)
        }
    }

    /// The setter says which outputs there are: one or two of them, or none.
    private func setOutputs(_ first: String) {
        let names = first.isEmpty ? [] : requests % 2 == 0 ? [first] : [first, "middle"]
        let setter = coordinator.machine.nameOwners[RandomDefinitions.emitters[0]] ?? client()
        let sizes = requests % 3 == 0 ? [] : names.map { OutputSize($0, width: 1_280, height: 720) }
        call("outputs \(names)") { .outputsSet($0, names, by: setter, sizes: sizes) }
    }

    /// A client emits a step, and wants to know the result of what that brings: often the owner of the presentable.
    private func ask(_ step: StepID, on node: NodeID, by client: Client, _ options: inout EmissionOptions) {
        let client = requests % 2 == 0 ? coordinator.forest[node.slot].owner ?? client : client
        let token = "ask \(requests % 5)"
        options.token = token
        options.asks = true
        let isKnown = coordinator.remembersEmission(token, on: node, by: client, at: Instant(microseconds: now))
        if isKnown {
            repeats.insert(RequestID(requests + 1))
        } else {
            acknowledged.remove("\(node.instance) \(token)")
        }
        call("ask \(step.index) on \(coordinator.path(of: node)) by \(client.name) \(token)") {
            .stepEmitted($0, on: node, step: step, arguments: [], by: client, options: options)
        }
    }

    /// A client takes back a step that waits at some presentable.
    private func cancelStep() {
        for slot in coordinator.forest.preorder() {
            let steps = coordinator.forest[slot].deferredSteps
            guard let step = steps.first(where: { !$0.token.isEmpty && !$0.token.hasPrefix("ask") }) else { continue }
            let id = coordinator.forest.id(of: slot)
            let wasKnown = coordinator.remembersEmission(step.token, by: step.client, at: Instant(microseconds: now))
            call("cancel \(step.token) at \(coordinator.path(of: id))") {
                .stepCancelled($0, on: id, token: step.token, by: step.client)
            }
            tokens.cancel(step.token, by: step.client, wasKnown: wasKnown)
            return
        }
    }

    /// The owner of some presentable acknowledges an answer, or does not want it any more.
    private func acknowledge() {
        let owned = coordinator.forest.preorder().filter { slot in
            coordinator.forest[slot].owner != nil && coordinator.forest[slot].askCount > 0
        }
        for slot in owned {
            let id = coordinator.forest.id(of: slot)
            let numbers = coordinator.machine.asks.asks(of: id.instance)
            let open = numbers.compactMap { coordinator.machine.asks[$0] }.filter { !$0.isClosed }
            guard let owner = coordinator.forest[slot].owner, let ask = open.first else { continue }
            call("acknowledge \(coordinator.path(of: id))") {
                .answerAcknowledged($0, of: id, token: ask.key.token, by: owner)
            }
            acknowledged.insert("\(id.instance) \(ask.key.token)")
        }
    }

    /// The owner of some screen saves a state, which is another one each time.
    private func saveState() {
        let owned = coordinator.forest.preorder().filter { slot in
            coordinator.forest[slot].presenting != nil && coordinator.forest[slot].owner != nil
        }
        guard !owned.isEmpty else { return }
        if requests % 3 == 0 {
            let asked = owned.filter { coordinator.forest[$0].onResult != nil }
            return finish((asked.isEmpty || requests % 5 == 0 ? owned : asked)[0])
        }
        let slot = owned[Int(requests) % owned.count]
        saveState(of: slot)
    }

    private func saveState(of slot: NodeSlot) {
        guard let owner = coordinator.forest[slot].owner else { return }
        let node = coordinator.forest.id(of: slot)
        let state: Arguments = requests % 4 == 0 ? [] : [Argument("number", .uint64(requests))]
        saves[RequestID(requests + 1)] = (node.instance, state)
        call("state of \(coordinator.path(of: node))") { .stateSaved($0, of: node, state, by: owner) }
    }

    /// The owner of a screen finishes it, whether it can answer or not. It gets no Withdraw.
    private func finish(_ slot: NodeSlot) {
        let node = coordinator.forest[slot]
        guard node.flow == nil, let owner = node.owner else { return }
        let id = coordinator.forest.id(of: slot)
        let declared = coordinator.definitions.screen(named: node.name).flatMap { coordinator.definitions[$0].result }
        // It can't answer for arguments that it was not told of (S-44).
        let isToEnd = declared != nil && node.presenting?.kept.isOutdated != true
        let result: Arguments = [Argument("n", .byte(1)), Argument("pin", .string("secret \(requests)"))]
        call("finish \(node.path)") { .screenFinished($0, of: id, result, by: owner) }
        let isGone = coordinator.forest.slot(of: id) == nil
        let isWithdrawn = effects.contains {
            if case .withdraw(let it) = $0 { it.instance == node.instance && it.client == owner } else { false }
        }
        if isGone != isToEnd || isWithdrawn {
            recordComplaints.append("\(transcript.count) finish of \(node.path): \(isGone), \(isWithdrawn)")
        }
        if isGone, node.onResult != nil { results += 1 }
    }

    /// Goes back, and compares what happens with what was known beforehand (S-39).
    private func goBack(_ node: NodeID, by client: Client) {
        let path = coordinator.path(of: node)
        var peeked: BackPreview?
        do throws(FlowError) { peeked = try coordinator.peekBack(at: node, by: client) } catch {}
        var options: BackOptions?
        if case .dismiss(let instance, _)? = peeked, chance(3) {
            options = BackOptions(
                goes: chance(4) ? instance + 1 : instance, activationToken: chance(2) ? "window" : nil)
        }
        let serial = coordinator.serial
        call("back on \(path) \(options?.goes.map { "\($0)" } ?? "-")") {
            .backPressed($0, on: node, by: client, options: options)
        }
        let isExpected: Bool
        switch peeked {
        case .dismiss(let instance, _)?:
            let isLive = coordinator.node(instance: instance) != nil
            isExpected = isLive == (options.map { $0.goes != instance } ?? false)
        case .step?: isExpected = true
        case .hidden?, .unhandled?, nil: isExpected = coordinator.serial == serial
        }
        if !isExpected {
            recordComplaints.append("\(transcript.count) back on \(path) was to be \(String(describing: peeked))")
        }
    }

    private func dismiss(_ node: NodeID, by client: Client? = nil) {
        let owner = coordinator.forest[node.slot].owner ?? client ?? self.client()
        call("dismiss \(coordinator.path(of: node))") { .presentableDismissed($0, node, by: owner) }
    }

    private func coordinate() {
        let flows = coordinator.definitions.flows.indices
        guard let flow = (chance(4) ? flows.suffix(1) : flows).randomElement(using: &random) else { return }
        let client = client()
        call("coordinate \(flow)") {
            .flowRequested($0, FlowRequest(FlowID(flow), by: client, activationToken: "window"))
        }
    }

    private func navigate() {
        let (step, client) = (randomStep(), client())
        call("navigate \(step.index)") {
            .deepLinkOpened($0, step: step, arguments: [], by: client, activationToken: "window")
        }
    }

    private func navigateAlong() {
        let segments = (0..<3).map { _ in
            PathSegment(
                flow: RandomDefinitions.flowNames.randomElement(using: &random) ?? "",
                step: chance(3) ? nil : randomStep())
        }
        let (client, blocks) = (client(), chance(2))
        call("navigate along", patience: 5_000_000) {
            .pathOpened(
                $0, segments, by: client, timeout: 5_000_000, activationToken: "window", blocks: blocks)
        }
    }

    private func wait() {
        now += UInt64.random(in: 0..<30_000_000, using: &random)
        model.takeTimer()
        handle(.timerFired, "timer")
    }

    private func changeOwner() {
        // A display has come.
        if requests % 4 == 0 { call("retry") { .pausesEnded($0) } }
        let name = (RandomDefinitions.services + RandomDefinitions.emitters).randomElement(using: &random) ?? ""
        handle(.nameOwnerChanged(name, owner: chance(3) ? nil : client()), "owner of \(name)")
    }

    private func vanish() {
        guard let client = model.watched.sorted(by: { $0.name < $1.name }).randomElement(using: &random) else { return }
        vanish(client)
    }

    private func vanish(_ client: Client) {
        model.watched.remove(client)
        // The bus assigns no unique name twice.
        clients.removeAll { $0 == client }
        lastClient += 1
        clients.append(Client(":1.\(lastClient)"))
        handle(.clientVanished(client), "\(client.name) is gone")
    }

    private func reload() {
        let builder = RandomDefinitions.make(using: &random, withGap: chance(2), withOthers: true)
        handle(.definitionsRead(builder.definitions), "reload")
    }

    private func registerOrNot() {
        if chance(4) {
            let (flow, client) = (chance(3) ? "q" : "r", client())
            return call("unregister") { .flowUnregistered($0, flow: flow, by: client) }
        }
        let before = coordinator.registrations.all
        let request = request(inPlaceOf: before.filter { clients.contains($0.client) }.randomElement(using: &random))
        call("register") { .flowRegistered($0, request) }
        let isLive = coordinator.forest.preorder().contains { coordinator.forest[$0].name == request.flow }
        let after = coordinator.registrations.all
        if isLive, after != before, after.map(\.flow) == before.map(\.flow) { anew += 1 }
    }

    private func request(inPlaceOf former: Registration?) -> Registration {
        let former = chance(3) ? nil : former
        let client = former?.client ?? client()
        let names = RandomDefinitions.services.filter { coordinator.nameOwners.owns(client, $0) }
        let name = chance(2) ? names.randomElement(using: &random) : nil
        var request = Registration(
            former?.flow ?? (chance(3) ? "q" : "r"),
            at: Service(name ?? client.name, path: chance(6) ? "/m" : "/n", timeout: 1),
            steps: [StepDeclaration("r1")] + ["r2", "r3"].filter { _ in chance(2) }.map { StepDeclaration($0) },
            hasGuard: chance(2), children: Children.ofRegistrations.randomElement(using: &random) ?? .stack,
            initial: chance(2) ? "r1" : nil, by: client, isActivatable: chance(3))
        // The files' screens have these arguments; with others, it is refused.
        let parameters = chance(8) ? [:] : ["n": "int64?", "pin": "string?"] as KeyValuePairs
        request.bring(
            ["p0", "r1", "r2"].filter { _ in !chance(3) }
                .map { name in
                    let answers = RandomDefinitions.answering.contains(name) || name == "r1"
                    return ScreenDeclaration(
                        name, parameters: DefinitionsBuilder.parameters(parameters),
                        result: answers ? DefinitionsBuilder.parameters(["n": "int64?", "pin": "string?"]) : nil)
                })
        // Without a random number, which would change all that follow.
        if request.flow == "q" { request.result = DefinitionsBuilder.parameters(["n": "int64?"]) }
        return request
    }

    /// Answers a question, mostly with a valid answer.
    func answer() {
        guard let question = asked.keys.sorted(by: { $0.number < $1.number }).randomElement(using: &random),
            let kind = asked.removeValue(forKey: question)
        else { return }
        switch kind {
        case .guard:
            let answer: GuardAnswer =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: .rejected
                case 1: .failed("no")
                case 2: .timedOut
                case 3: .step(randomStep(), [Argument("x", .byte(1))])
                default: .step(randomStep(), [])
                }
            handle(.guardReplied(question, answer), "guard \(question.number)")
        case .navigator:
            let names = coordinator.definitions
            var parts = RandomDefinitions.parts(
                Children.allCases.randomElement(using: &random) ?? .free, names.steps.map(\.name)[...],
                names.screens.map(\.name)[...], names.flows.map(\.name)[...], &random)
            // Mostly those can't be contributed that came with a flow, as nothing is sure to fit.
            let own = names.screens.lazy.map(\.name).filter { $0.hasPrefix("r") }
            if chance(2), let screen = Array(own).randomElement(using: &random) { parts = [.screen(screen)] }
            let answer: NavigatorAnswer =
                chance(6) ? .timedOut : .contributors(parts.map { DefinitionsBuilder.contributor($0, in: names) })
            handle(.navigatorReplied(question, answer), "navigator \(question.number)")
        case .presenter:
            if chance(4) {
                return handle(
                    .presenterReplied(question, .failed(Fault("com.x.Error.No", "no"))),
                    "presenter \(question.number) fails")
            }
            if !late.contains(question), chance(4) {
                // It may answer all the same.
                late.insert(question)
                asked[question] = kind
                return handle(.presenterReplied(question, .timedOut), "presenter \(question.number) is late")
            }
            let client = client()
            var screen: NodeID?
            if case .presenter(let asked)? = coordinator.questions[question] { screen = asked.screen }
            let report = chance(2) ? report(isVisible: chance(2) ? true : nil) : ScreenReport()
            handle(
                .presenterReplied(question, .presented(by: client, report)), "presenter \(question.number) \(report)")
            if let screen { show(screen, by: client) }
            saveState()
        case .owner:
            // Half of the owners hang or are late, and some others can't be asked. Drawn numbers would change all other events.
            let isSilent = question.number % 2 == 0 && late.insert(question).inserted
            reply(isSilent ? .silent : question.number % 5 == 0 ? .unsupported : .alive, to: question)
        }
    }

    /// The new owner of a watched screen shows it, and time passes until it is asked whether it is alive.
    private func show(_ screen: NodeID, by client: Client) {
        guard let slot = coordinator.forest.slot(of: screen), coordinator.forest[slot].owner == client,
            let watchdog = coordinator.watchdog(of: slot)
        else { return }
        call("shown \(coordinator.path(of: screen))") {
            .visibilityChanged($0, of: screen, isVisible: true, by: client)
        }
        // Most checks that are answered later find another screen in front.
        if requests % 4 != 0 { reply(.alive, toCheckOf: screen) }
        now += watchdog
        model.takeTimer()
        handle(.timerFired, "timer")
        if requests % 2 == 0 { reply(.silent, toCheckOf: screen) }
    }

    private func reply(_ answer: AliveAnswer, toCheckOf screen: NodeID) {
        guard let slot = coordinator.forest.slot(of: screen),
            let check = coordinator.forest[slot].presenting?.check.underWay
        else { return }
        asked[check] = nil
        reply(answer, to: check)
    }

    /// One of the screens that can be evicted gets an owner if it has none and its presenter was called; else its flow is hidden
    /// until the screen is evicted, and shown again.
    private func evictOne() {
        let screens = coordinator.forest.preorder().filter { coordinator.evictionTime(of: $0) != nil }
        guard !screens.isEmpty else { return }
        let slot = screens[Int(requests) % screens.count]
        let screen = coordinator.forest.id(of: slot)
        if let call = coordinator.forest[slot].presenting?.underWay.last, asked.removeValue(forKey: call) != nil {
            let client = clients[Int(requests) % clients.count]
            handle(.presenterReplied(call, .presented(by: client)), "presenter \(call.number)")
            show(screen, by: client)
            saveState()
        }
        hideFlow(of: screen)
    }

    private func hideFlow(of screen: NodeID) {
        guard let slot = coordinator.forest.slot(of: screen), let owner = coordinator.forest[slot].owner,
            let flow = coordinator.forest[slot].parent, let time = coordinator.evictionTime(of: slot)
        else { return }
        let (number, node) = (requests, coordinator.forest.id(of: flow))
        if number % 2 == 0 {
            call("shown \(coordinator.path(of: screen))") {
                .visibilityChanged($0, of: screen, isVisible: true, by: owner)
            }
        }
        setVisible(node, false)
        now += time
        model.takeTimer()
        handle(.timerFired, "timer")
        // Some come in sight while their owners leave.
        if number % 4 != 0 { leaveEvicted() }
        setVisible(node, true)
    }

    private func setVisible(_ node: NodeID, _ isVisible: Bool) {
        guard let slot = coordinator.forest.slot(of: node) else { return }
        let (path, client) = (coordinator.path(of: node), coordinator.forest[slot].owner ?? clients[0])
        call("visible \(path) \(isVisible)") { .visibilityChanged($0, of: node, isVisible: isVisible, by: client) }
    }

    /// Owners that were told to leave a screen save and release it, dismiss it, die with or without saving, or do nothing.
    private func leaveEvicted() {
        for (instance, owner) in evictions.takeTold() {
            guard let node = coordinator.node(instance: instance),
                coordinator.forest[node.slot].presenting?.kept.eviction == .underWay
            else { continue }
            let choice = (UInt64(evictions.count) + requests) % 8
            if choice % 2 == 0 { saveState(of: node.slot) }
            switch choice {
            case 0...3: call("release \(coordinator.path(of: node))") { .presentableReleased($0, node, by: owner) }
            case 4: dismiss(node, by: owner)
            case 5...6 where model.watched.contains(owner): vanish(owner)
            // Its time will be over.
            default: break
            }
        }
    }

    private func reply(_ answer: AliveAnswer, to check: QuestionID) {
        let known = coordinator.questions[check]
        handle(.aliveReplied(check, answer), "owner \(check.number) \(answer.rawValue)")
        if coordinator.questions[check] != nil {
            // The silence of a program that never answered: it may be late.
            asked[check] = .owner
        } else if answer == .silent, known != nil {
            hangs += 1
        }
    }

    /// Dismisses everything, and answers all questions.
    func endAll() {
        let client = clients[0]
        for name in RandomDefinitions.emitters { handle(.nameOwnerChanged(name, owner: client), "owner of \(name)") }
        for _ in 0..<2_000 {
            if let root = coordinator.forest.roots.first {
                dismiss(coordinator.forest.id(of: root), by: client)
            } else if !asked.isEmpty {
                answer()
            } else if let registration = coordinator.registrations.all.first {
                call("unregister") { .flowUnregistered($0, flow: registration.flow, by: registration.client) }
            } else {
                break
            }
        }
        // What was answered is forgotten then.
        now += Limits.tokenLifetime
        handle(.timerFired, "timer")
    }

    // MARK: What they are made of

    private func call(_ text: String, patience: UInt64 = Limits.replyTimeout, _ event: (RequestID) -> Event) {
        requests += 1
        unanswered[RequestID(requests)] = (now, patience)
        handle(event(RequestID(requests)), text)
    }

    private func handle(_ event: Event, _ text: String) {
        transcript.append(text)
        switch event {
        case .presenterReplied(let question, .failed), .presenterReplied(let question, .timedOut):
            evictions.fail(question)
        default: break
        }
        let explanation = coordinator.explain(event, at: Instant(microseconds: now))
        take(
            coordinator.handle(event, at: Instant(microseconds: now), inSlicesOf: sliceSize) {
                recordComplaints += archive.update(from: &$0).map { "\(transcript.count) \(text): \($0)" }
            })
        if let complaint = explanation?.complaint(about: effects, of: event) {
            explainComplaints.append("\(transcript.count) \(text): \(complaint)")
        }
        recordComplaints += archive.update(from: &coordinator, comparing: transcript.count % 7 == 0).map {
            "\(transcript.count) \(text): \($0)"
        }
    }

    private func take(_ effects: [Effect], isRestart: Bool = false) {
        self.effects = effects.withoutWatches
        follow()
        model.follow(coordinator.forest)
        model.take(effects) { effect, model in evictions.take(effect, model) }
        for effect in effects { note(effect) }
        if isRestart { model.readSight(coordinator.machine) }
        recordComplaints += model.complaintsAboutSight(coordinator.machine).map { "\(transcript.count): \($0)" }
        evictions.follow(model)
    }

    private func note(_ effect: Effect) {
        switch effect {
        case .reply(let request, let answer):
            if let save = saves.removeValue(forKey: request) { evictions.save(save.state, of: save.instance) }
            if !repeats.contains(request) { pendings += answer.pendings }
            tokens.take(answer, to: request)
            noteAnswer(request)
        case .fail(let request, let error):
            if error.code == .pathFailed, error.message.contains("was not decided") { lateWalks += 1 }
            tokens.take(error, to: request)
            noteAnswer(request)
        case .emitStepConcluded(let it):
            conclusions += 1
            if !it.token.hasPrefix("ask") { tokens.take(it) }
        case .emitAnswered: answers += 1
        case .askAlive(let it): noteAsked(it.id, .owner)
        case .askGuard(let it): noteAsked(it.id, .guard)
        case .askNavigator(let it): noteAsked(it.id, .navigator)
        case .present(let it):
            noteAsked(it.id, .presenter)
            if ["/m", "/n"].contains(it.presenter.service.path) { brought += 1 }
            answers += it.answers.count
            for answer in it.answers where acknowledged.contains("\(it.instance) \(answer.token)") {
                faults.append("\(it.path) gets the answer '\(answer.token)' again")
            }
            if !it.state.isEmpty { statesGivenBack += 1 }
        default: break
        }
    }

    private func noteAnswer(_ request: RequestID) {
        if unanswered.removeValue(forKey: request) == nil { faults.append("\(request.number) is answered again") }
        repeats.remove(request)
    }

    private func noteAsked(_ question: QuestionID, _ kind: Ask) {
        if question.number <= lastQuestion { faults.append("question \(question.number) is asked again") }
        lastQuestion = question.number
        asked[question] = kind
    }

    private func follow() {
        model.covering = Dictionary(
            coordinator.definitions.flows.map { ($0.name, $0.children) }, uniquingKeysWith: { first, _ in first })
        model.layers = Dictionary(
            coordinator.definitions.flows.map { ($0.name, $0.layers) }, uniquingKeysWith: { first, _ in first })
    }

    private func chance(_ odds: Int) -> Bool { RandomDefinitions.chance(odds, &random) }

    /// What a program says of a screen.
    private func report(isVisible: Bool? = nil) -> ScreenReport {
        let step = coordinator.definitions[randomStep()].name
        return ScreenReport(
            isVisible: isVisible, title: chance(2) ? "title \(Int.random(in: 0..<3, using: &random))" : nil,
            backStep: chance(3) ? step : chance(5) ? "" : nil, wantsSight: chance(3) ? chance(2) : nil)
    }

    private func client() -> Client { clients.randomElement(using: &random) ?? .daemon }

    private func randomStep() -> StepID { steps.randomElement(using: &random) ?? StepID(0) }
}
