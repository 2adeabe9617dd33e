import Testing

// Only the core makes effects, so their initializers are its own.
@testable import FlowCore
@testable import FlowTrace

@Suite("Effects as text")
struct EffectTextTests {
    private static let service = Service("a.b", path: "/a/b", timeout: 5_000)
    private static let arguments = [Argument("n", .int64(5))]
    private static let client = Client(":1.1")

    private static func question(isInteractive: Bool) -> Question {
        Question(
            id: QuestionID(4), service: service, flow: "/base/main", step: "go", arguments: arguments, client: client,
            presentable: "/base/main/page", instance: 3, cause: 7, isInteractive: isInteractive)
    }

    private static func present(
        _ presenter: Presenter, reason: PresentReason = .launch, run: Arguments = [], token: String? = nil
    ) -> Effect {
        .present(
            Presentation(
                id: QuestionID(6), presenter: presenter, path: "/base/main/page", name: "page", arguments: arguments,
                instance: 3, style: "modal", styles: ["modal"], flow: "/base/main", root: "/base/main", serial: 8,
                reason: reason, activationToken: token, run: run))
    }

    /// A screen whose root stands on an output of this size.
    private static var presentOnOutput: Effect {
        .present(
            Presentation(
                id: QuestionID(6), presenter: .service(service), path: "/base/main/page", name: "page", arguments: [],
                instance: 3, flow: "/base/main", root: "/base/main", output: "DP-1",
                size: OutputSize("DP-1", width: 1_280, height: 720), serial: 8, reason: .launch))
    }

    private static func withdraw(_ reason: Withdrawal.Reason) -> Effect {
        .withdraw(Withdrawal(client: client, object: "/shop", path: "/base/main/page", instance: 3, reason: reason))
    }

    private static func conclude(_ outcome: Outcome, token: String = "a b") -> Effect {
        .emitStepConcluded(Conclusion(client: client, path: "/base/main/page", token: token, outcome: outcome))
    }

    private static func added(presenter: String, owner: Client?) -> Effect {
        .addPresentable(
            PresentableState(
                path: "/base/main/page", isFlow: false,
                properties: [
                    .name: .text("page"), .parentFlow: .path("/base/main"), .instance: .number(3),
                    .arguments: .arguments([]), .visible: .flag(true), .presenter: .text(presenter),
                    .owner: .text(owner?.name ?? ""),
                ]))
    }

    static let effects: [(Effect, String)] = [
        (
            .emitNavigationWillOccur(
                Announcement(flow: "/base/main", step: "go", arguments: [], isDeepLink: true, adaptedFrom: "rest")),
            "will /base/main go 0 deep-link adapted-from rest"
        ),
        (
            .emitNavigationOccurred(
                Navigation(
                    flow: "/base/main", definition: "main", serial: 8, cause: 7, client: client, step: "go",
                    arguments: [], contributions: [], isDeepLink: false, adaptedFrom: "rest")),
            "did /base/main 8 7 \":1.1\" go 0 0 adapted-from rest"
        ),
        (
            added(presenter: "a.b", owner: client),
            "added /base/main/page screen Name \"page\" Style \"\" ParentFlow /base/main Instance 3 Arguments 0"
                + " Visible true Presented false InSight false Presenter \"a.b\" Owner \":1.1\" Title \"\" Waiting \"\""
        ),
        (
            added(presenter: "", owner: nil),
            "added /base/main/page screen Name \"page\" Style \"\" ParentFlow /base/main Instance 3 Arguments 0"
                + " Visible true Presented false InSight false Presenter \"\" Owner \"\" Title \"\" Waiting \"\""
        ),
        (
            .changeProperties(
                PropertyChanges(path: "/base/main/page", [.visible: .flag(false), .owner: .text(":1.1")])),
            "changed /base/main/page Visible false Owner \":1.1\""
        ),
        (
            .changeProperties(PropertyChanges(path: "/base/main/page", [.owner: .text("")])),
            "changed /base/main/page Owner \"\""
        ),
        (
            .askGuard(question(isInteractive: false)),
            "ask-guard 4 \"a.b\" \"/a/b\" 5000 /base/main go 1 \"n\" x 5 \":1.1\" /base/main/page 3 7"
        ),
        (
            .askNavigator(question(isInteractive: true)),
            "ask-navigator 4 \"a.b\" \"/a/b\" 5000 /base/main go 1 \"n\" x 5 \":1.1\" /base/main/page 3 7 interactive"
        ),
        (
            present(.service(service)),
            "present 6 presenter \"a.b\" \"/a/b\" 5000 /base/main/page page 1 \"n\" x 5 3 \"modal\" /base/main 8 launch styles 1 \"modal\" root /base/main"
        ),
        (
            presentOnOutput,
            "present 6 presenter \"a.b\" \"/a/b\" 5000 /base/main/page page 0 3 \"\" /base/main 8 launch root /base/main output \"DP-1\" "
                + "size 1280 720"
        ),
        (
            present(
                .application(service, ApplicationCall(.action("show.page", parameter: .argument("n")))),
                reason: .update, token: "t\""),
            "present 6 application \"a.b\" \"/a/b\" 5000 action \"show.page\" $n /base/main/page page 1 \"n\" x 5 3 \"modal\" "
                + "/base/main 8 update styles 1 \"modal\" root /base/main activation-token \"t\\\"\""
        ),
        (
            present(.service(service), run: [Argument("command", .array(element: "s", [.string("a")]))]),
            "present 6 presenter \"a.b\" \"/a/b\" 5000 /base/main/page page 1 \"n\" x 5 3 \"modal\" /base/main 8 launch styles 1 \"modal\" "
                + "root /base/main run 1 \"command\" as 1 \"a\""
        ),
        (withdraw(.dismissal(.ownerGone)), "withdraw \":1.1\" /shop /base/main/page 3 ownerGone"),
        (withdraw(.result), "withdraw \":1.1\" /shop /base/main/page 3 result"),
        (withdraw(.rule), "withdraw \":1.1\" /shop /base/main/page 3 rule"),
        (withdraw(.parent), "withdraw \":1.1\" /shop /base/main/page 3 parent"),
        (withdraw(.undeclared), "withdraw \":1.1\" /shop /base/main/page 3 undeclared"),
        (withdraw(.evicted), "withdraw \":1.1\" /shop /base/main/page 3 evicted"),
        (conclude(.navigated(serial: 8)), "concluded \":1.1\" /base/main/page \"a b\" navigated 8"),
        (conclude(.ignored(.rejected), token: ""), "concluded \":1.1\" /base/main/page \"\" rejected"),
        (
            conclude(.refused(FlowError(.guardTimeout, "too late"))),
            "concluded \":1.1\" /base/main/page \"a b\" GuardTimeout \"too late\""
        ),
        (
            .emitAnswered(
                Answered(
                    client: client, path: "/base/main/page",
                    answer: AskAnswer(token: "a b", outcome: .result, result: [Argument("n", .int64(5))]))),
            "answered \":1.1\" /base/main/page \"a b\" result 1 \"n\" x 5"
        ),
        (.watchClient(client), "watch \":1.1\""),
        (.emitDefinitionsChanged, "definitions-changed"),
        (.changeContext(arguments), "context 1 \"n\" x 5"),
        (
            .emitContextChanged(ContextNews(client: client, path: "/base/main/page", values: arguments)),
            "context-changed \":1.1\" /base/main/page 1 \"n\" x 5"
        ),
        (
            .askAlive(
                AliveCheck(
                    id: QuestionID(7), client: client, object: "/shop", path: "/base/main/page", name: "page",
                    timeout: 10)),
            "ask-alive 7 \":1.1\" /shop /base/main/page page 10"
        ),
        (.endProcess(of: client, screen: "page"), "end-process \":1.1\" page"),
        (
            .startService("com.vendor.Pay"), "start \"com.vendor.Pay\""
        ),
        (
            .reportUnrestored(path: "/base/main/page", "no screen 'page' is declared \"now\""),
            "unrestored /base/main/page \"no screen 'page' is declared \\\"now\\\"\""
        ),
        (
            .reportTiming(
                PresentationTiming(
                    path: "/base/main/page", screen: "page", start: .cold, sent: 1, answered: 2, visible: 30, waited: 4)
            ),
            "timing /base/main/page page cold 1 2 30 4"
        ),
        (
            .reportDelay(
                path: "/base/main/page", presenter: "com.vendor.Pay", microseconds: 1_000_000, Fault("com.x.No", "no")),
            "delay /base/main/page \"com.vendor.Pay\" 1000000 \"no (com.x.No)\""
        ),
        (.dropQuestion(QuestionID(7)), "drop 7"),
        (.reply(RequestID(5), .verdict(.pending, serial: 0)), "reply 5 pending 0"),
    ]

    @Test(arguments: effects)
    func `a line`(effect: Effect, line: String) {
        #expect(TraceLine(effect).text == line)
    }
}
