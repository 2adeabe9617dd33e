@testable import FlowCore

/// A record of each kind, with each of its parts present and absent, and its bytes.
enum RecordSamples {
    static let client = Client(":1.7")
    static let arguments = [Argument("n", .int64(5)), Argument("s", .string("x"), isPrivate: true)]

    static let nodes: [(NodeRecord, String)] = [
        (
            NodeRecord(
                parent: 0, kept: Node.Kept(name: "main", id: "main", isVisible: true, stepInTurn: 300, output: "tv")),
            "00046d61696e0000000100000000000000027476000000ac02000000"
        ),
        (
            NodeRecord(
                parent: 300,
                kept: Node.Kept(
                    name: "page", id: "page_2", style: "modal", arguments: arguments, isVisible: false,
                    whenHidden: .latest, owner: client, client: Client(":1.8"),
                    onDismissed: Boxed(
                        .init(
                            step: "gone",
                            arguments: .given([
                                Binding("a", .literal(.bool(true))), Binding("b", .step("n")),
                                Binding("c", .flow("lang")), Binding("d", .childName), Binding("e", .reason),
                                Binding("f", .error), Binding("g", .message),
                            ]), isPrivate: true))),
                presenting: Boxed(
                    .init(
                        state: .shown, reason: .recover, eviction: .underWay, isExpected: true, hasAnsweredAlive: true,
                        origin: 7, serial: 8, leftBy: client, fault: Fault("x.No", "no")))),
            "ac0204706167650106706167655f32056d6f64616c02016e0078050173017301780001066c617465737401043a312e"
                + "37043a312e38000000000000000104676f6e6501070161006201016201016e016302046c616e670164030165040166"
                + "050167060100010100077265636f7665720708010001043a312e3701010104782e4e6f026e6f0000"
        ),
        (
            NodeRecord(
                parent: 1,
                kept: Node.Kept(
                    name: "list", id: "list", isVisible: true, client: client,
                    onDismissed: Boxed(.init(step: "gone", arguments: .inherited))),
                flow: Boxed(
                    .init(
                        readiness: .awaitingChildren(2), isAwaitedByParent: true,
                        selected: [4, 5].map { NodeID(slot: NodeSlot(0), instance: $0) }))),
            "01046c697374000000010000043a312e37000000000000000104676f6e65000000000102020102040500000000000000"
        ),
        (
            NodeRecord(
                parent: 1, kept: Node.Kept(name: "a", id: "a", isVisible: true, client: client),
                flow: Boxed(.init(readiness: .ready))),
            "010161000000010000043a312e37000000000000000000000100000000000000000000"
        ),
        (
            NodeRecord(
                parent: 1, kept: Node.Kept(name: "a", id: "a", isVisible: true, client: client),
                flow: Boxed(
                    .init(
                        isBare: true, birth: 5,
                        emptiedBy: Boxed(
                            .init(origin: 6, cause: 7, client: client, fault: Fault("x.No", "no"), isClosed: true)),
                        pauses: [
                            "b": Pause(
                                failures: 2, since: Instant(microseconds: 200), isCut: true,
                                fault: Fault("x.No", "no"), origin: 3)
                        ], nothingToShow: "no", away: Boxed(.init(output: "tv", raised: 300))))),
            "010161000000010000043a312e3700000000000000000000010000000501010607043a312e370104782e4e6f026e6f"
                + "0101016202c8010104782e4e6f026e6f03026e6f01027476ac0200"
        ),
        (
            NodeRecord(
                parent: 1,
                kept: Node.Kept(
                    name: "a", id: "a", client: client,
                    onResult: Boxed(
                        .init(
                            template: .init(
                                step: "go",
                                arguments: .given([
                                    Binding("b", .result("r")), Binding("c", .asked("n")), Binding("d", .context("l")),
                                    Binding("e", .output),
                                ])),
                            asked: arguments)))),
            "010161000000000000043a312e3700000000000000000000000102676f01040162070172016308016e016409016c01650a00"
                + "02016e007805017301730178"
        ),
        (
            NodeRecord(
                parent: 1,
                kept: Node.Kept(name: "a", id: "a", owner: client, client: client, byOwner: Boxed(.init(title: "T")))),
            "010161000000000001043a312e37043a312e3700000000000154000000000000"
        ),
        (
            NodeRecord(
                parent: 1,
                kept: Node.Kept(
                    name: "a", id: "a", owner: client, client: client, byOwner: Boxed(.init(backStep: "ask")))),
            "010161000000000001043a312e37043a312e37010361736b0000000000000000000000"
        ),
        (
            NodeRecord(
                parent: 1,
                kept: Node.Kept(
                    name: "a", id: "a", isVisible: false, isHiddenByRule: true, client: client, raised: 300,
                    layer: "top"),
                flow: Boxed(.init(readiness: .ready))),
            "010161000000000000043a312e3700ac020103746f700000000000000100000000000000000000"
        ),
        (
            NodeRecord(
                parent: 1, kept: Node.Kept(name: "a", id: "a", isVisible: true, client: client),
                flow: Boxed(.init(readiness: .awaitingStep))),
            "010161000000010000043a312e37000000000000000000000101000000000000000000"
        ),
    ]

    static let activities: [(ActivityRecord, String)] = [
        (ActivityRecord(idle: TimerState(rest: .taken)), "00000100000000"),
        (ActivityRecord(idle: TimerState(stage: 2), isAwake: true), "00000002010000"),
        (
            ActivityRecord(
                wasPresented: true,
                timers: [TimerState(begun: Instant(microseconds: 7)), TimerState(rest: .deferred)]),
            "0000000000010201070000000200"
        ),
        (
            ActivityRecord(
                last: .init(serial: 9, step: "go", arguments: arguments, client: client),
                idle: TimerState(begun: Instant(microseconds: 1_000_000))),
            "010902676f02016e007805017301730178043a312e3701c0843d0000000000"
        ),
    ]

    static let steps: [(StepRecord, String)] = [
        (
            StepRecord(
                stage: .initial, place: 1, origin: 2, cause: 0, client: .daemon, step: "start", arguments: []),
            "000102000005737461727400"
        ),
        (
            StepRecord(
                stage: .deferred, place: 1, origin: 2, cause: 3, client: client, step: "go", arguments: arguments,
                token: "t"),
            "01010203043a312e3702676f02016e0078050173017301780174"
        ),
        (
            StepRecord(
                stage: .blocked, place: 1, origin: 2, cause: 3, client: client, step: "go", arguments: [],
                purpose: .emitted, request: 500, path: "/a/b", token: "t", screen: 12, isInteractive: true,
                adaptedFrom: "rest"), "02010203043a312e3702676f0000f40300042f612f62010c01010472657374017400"
        ),
        (
            StepRecord(
                stage: .blocked, place: 1, origin: 2, cause: 3, client: client, step: "go", arguments: [],
                purpose: .emitted, request: 5, path: "/a", token: "t", tokenKind: .back),
            "02010203043a312e3702676f00000500022f61000000017402"
        ),
        (
            StepRecord(
                stage: .guard, place: 1, origin: 2, cause: 3, client: client, step: "go", arguments: [],
                purpose: .listed, request: 5, index: 6), "03010203043a312e3702676f00020506000000000000"
        ),
        (
            StepRecord(
                stage: .navigator, place: 1, origin: 2, cause: 3, client: client, step: "go", arguments: [],
                purpose: .timed), "04010203043a312e3702676f00070000000000000000"
        ),
        (
            StepRecord(
                stage: .queued, place: 1, origin: 2, cause: 3, client: client, step: "go", arguments: [],
                purpose: .deepLink, request: 5, index: 6, token: "x", placeOfFailure: "/a"),
            "05010203043a312e3702676f0001050600000000022f61017800"
        ),
    ]

    static let lists: [(ListRecord, String)] = [
        (
            ListRecord(
                client: client, node: 4, path: "/a",
                items: [.step("go", arguments), .refused(FlowError(.unknownStep, "no 'x'"))]),
            "043a312e3704022f61020102676f02016e007805017301730178000b556e6b6e6f776e53746570066e6f2027782700"
        ),
        (
            ListRecord(
                client: client, node: 0, path: "", items: [.step("go", [])],
                flows: [.init(instance: 3, path: "/a"), .init(instance: 0, path: "/b")]),
            "043a312e370000010102676f000203022f6100022f62"
        ),
    ]

    static let tokens: [(TokenRecord, String)] = [
        (
            token(.emission, .reply(.verdict(.navigated, serial: 130))),
            "043a312e370003742031800100096e61766967617465648201"
        ),
        (token(.coordination, .reply(.flow(path: "/a"))), "043a312e370103742031800101022f61"),
        (
            token(.coordination, .fail(FlowError(.idTaken, "taken"))),
            "043a312e37010374203180010207496454616b656e0574616b656e"
        ),
        (token(.emission, .waiting(request: 6)), "043a312e37000374203180010306"),
        (token(.back, .reply(.verdict(.unhandled, serial: 0))), "043a312e37020374203180010009756e68616e646c656400"),
        (token(.emission, .reply(.done)), "043a312e370003742031800104"),
        (token(.emission, .pending(request: 7)), "043a312e37000374203180010507"),
    ]

    private static func token(_ kind: Tokens.CallKind, _ outcome: TokenRecord.CallState) -> TokenRecord {
        TokenRecord(
            key: Tokens.Key(client: client, kind: kind, token: "t 1"), at: Instant(microseconds: 128),
            outcome: outcome)
    }

    static let registrations: [(RegistrationRecord, String)] = [
        (
            RegistrationRecord(
                registration: Registration(
                    "settings", at: Service(":1.7", path: "/n", timeout: 5_000_000), steps: [], by: client),
                isLeft: false), "0873657474696e6773043a312e37022f6ec096b1020000046672656500043a312e37000000000000"
        ),
        (
            RegistrationRecord(
                registration: {
                    var registration = Registration(
                        "settings", at: Service("a.b", path: "/n", timeout: 1),
                        steps: [StepDeclaration("go", parameters: parameters), StepDeclaration("rest")],
                        hasGuard: true, children: .tabs, initial: "go", by: client, isActivatable: true)
                    registration.bring(
                        [ScreenDeclaration("page", parameters: parameters, key: ["p0"]), .init("list")],
                        presentedAt: "/p")
                    return registration
                }(), isLeft: true),
            "0873657474696e677303612e62022f6e010202676f0202703001780002703105617b73767d010472657374000104"
                + "746162730102676f043a312e3701010204706167650202703001780002703105617b73767d01000001000001027030"
                + "046c69737400000001000000022f700000"
        ),
        (
            RegistrationRecord(
                registration: {
                    var registration = Registration(
                        "s", at: Service(":1.7", path: "/n", timeout: 1), steps: [], by: client)
                    registration.result = parameters
                    registration.bring([
                        ScreenDeclaration(
                            "page", isPresentedOnReturn: false, keepsAwake: true, budget: 1, watchdog: 2, result: []),
                        .init("list"),
                    ])
                    return registration
                }(), isLeft: false),
            "0173043a312e37022f6e010000046672656500043a312e37000002047061676500010001000101010200046c697374"
                + "00000001000000022f6e00010202703001780002703105617b73767d01"
        ),
    ]

    private static let parameters = ["x", "a{sv}"].enumerated().compactMap { place, signature in
        ValueType(signature: signature).map { Parameter("p\(place)", $0, isOptional: place == 1) }
    }

    static let progress = (ProgressRecord(rank: 3, done: 250), "03fa01")
    static let origin = (OriginRecord(triggered: 200, isReported: true), "c80101")
    static let counters = (CountersRecord(serial: 4_096, instance: 5), "802005")
    static let steppers: [(StepperRecord, String)] = [
        (StepperRecord(root: 7, stepper: 0xcbf2_9ce4_8422_2325, value: .absent), "07a5c688a1c89ca7f9cb010000"),
        (StepperRecord(root: 300, stepper: 1, value: .value(.bool(true)), isPrivate: true), "ac020101620101"),
    ]
    static let savedState = (SavedStateRecord(state: [Argument("n", .int64(5))], isForDisk: true), "01016e00780501")
    static let context: (ContextValues, String) = {
        let text = ValueType(name: "string")
        var values = ContextValues(
            [
                text.map { ContextDeclaration("a", $0, initial: .string(""), isPrivate: true) },
                text.map { ContextDeclaration("b", $0, initial: .string("x"), isForDisk: true) },
            ].compactMap(\.self))
        values.set(Argument("a", .string("y"), isPrivate: true))
        values.set(Argument("b", .string("z")))
        return (values.recorded ?? ContextValues(), "020161017301790001620073017a01")
    }()
    static let outputs = (OutputsRecord(names: ["DP-1"], missing: ["b"]), "010444502d31010162")
    static let asks: [(Asks.Ask, String)] = [
        (ask(.open(about: nil)) { $0.key.asker = .client($0.client) }, "0003742031043a312e3700022f6109000000008001"),
        (
            ask(.open(about: 300)) { $0.verdict = .navigated },
            "c80103742031043a312e3700022f610901096e61766967617465640000ac028001"
        ),
        (
            ask(.answered(.result, [Argument("n", .int64(5), isPrivate: true)])) { $0.serial = 7 },
            "c80103742031043a312e3700022f610900070106726573756c7401016e0178058001"
        ),
        (ask(.closed) { $0.isLeft = true }, "c80103742031043a312e3701022f61090000028001"),
    ]

    private static func ask(_ state: Asks.State, _ change: (inout Asks.Ask) -> Void) -> Asks.Ask {
        var ask = Asks.Ask(
            key: Asks.Key(asker: .presentable(200), token: "t 1"), client: client, path: "/a", origin: 9, state: state,
            since: Instant(microseconds: 128))
        change(&ask)
        return ask
    }

    static let nameOwner = (NameOwnerRecord(name: "a.b", owner: client), "03612e62043a312e37")
}
