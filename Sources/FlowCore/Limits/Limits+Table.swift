/// One row of the tables of limits in `docs/semantics.md` and the man pages, which `make docs` writes.
public struct LimitRow: Equatable, Sendable {
    /// What is limited; words in backticks are names of the contract, `(S-11)` is a rule.
    public let subject: String
    /// The values, as the table shows them.
    public let values: [String]

    init(_ subject: String, _ values: String...) {
        self.subject = subject
        self.values = values
    }
}

extension Limits {
    /// The quotas of a client, and of all clients together.
    public static var quotas: [LimitRow] {
        [
            LimitRow("live presentables", count(nodesPerClient), count(nodes)),
            LimitRow(
                "arguments and saved states of live presentables, arguments of steps that wait for them, those of each flow's "
                    + "latest navigation, and tokens and answers of asks",
                bytes(liveArgumentBytesPerClient), bytes(liveArgumentBytes)),
            LimitRow(
                "deferred steps, steps that wait for a guard or a navigator, steps in lists and paths, "
                    + "calls of `WaitReady`, and calls with the token of a step that waits",
                count(waitingStepsPerClient), count(waitingSteps)),
            LimitRow(
                "tokens of the last \(time(tokenLifetime)), and those of asks (S-45)", count(tokensPerClient),
                count(tokens)),
            LimitRow("postponed calls (S-7)", count(postponedCallsPerClient), count(postponedCalls)),
            LimitRow(
                "values in the arguments of postponed calls", bytes(postponedBytesPerClient), bytes(postponedBytes)),
            LimitRow("registered flows", count(registeredFlowsPerClient), count(registeredFlows)),
            LimitRow(
                "names and types of the steps and screens of registered flows", bytes(registeredBytesPerClient),
                bytes(registeredBytes)),
            LimitRow(
                "calls to guards, navigators and presenters that are under way; others wait", count(callsUnderWay),
                "\(count(callsUnderWayInTotal)) (\(callsUnderWayOnSystemBus) on a system bus)"),
        ]
    }

    /// The limits of definition files and registrations.
    public static var definitions: [LimitRow] {
        [
            LimitRow("name of a screen or flow, id", "\(count(nameLength)) bytes"),
            LimitRow("name of a step", "\(count(stepNameLength)) bytes"),
            LimitRow("style of a child", "\(count(styleLength)) bytes"),
            LimitRow("screens with timings of their own (S-46), apart for `cold` and `warm`", "\(count(timedScreens))"),
            LimitRow("name of an output", "\(count(outputLength)) bytes"),
            LimitRow(
                "outputs (S-53), those that are missing for a moment included; of more, those that are missing longest are gone",
                count(outputs)),
            LimitRow("object path", "\(count(pathLength)) bytes"),
            LimitRow(
                "`timeout` of a presenter, guard or navigator",
                "\(time(answerTimeouts.lowerBound)) to \(time(answerTimeouts.upperBound))"),
            LimitRow(
                "title of a flow, a screen or a step (S-58), also with its arguments", "\(count(titleLength)) bytes"),
            LimitRow("description of a flow, a screen or a step (S-58)", bytes(descriptionLength)),
            LimitRow("steppers (S-42)", count(steppers)),
            LimitRow("the values of the context, and those of a flow's (S-57)", bytes(contextBytes)),
            LimitRow("timers of a flow, without `idle` (S-55)", count(timers)),
            LimitRow(
                "time of a timer (S-55)",
                "\(time(TimeSpan.ofTimers.lowerBound)) to 30 days"),
            LimitRow("all definition files together", bytes(definitionBytes)),
        ]
    }

    /// The limits that are the same for everyone.
    public static var bounds: [LimitRow] {
        [
            LimitRow("children of a flow", count(children)),
            LimitRow("depth of a tree", count(depth)),
            LimitRow("token", "\(count(tokenLength)) bytes"),
            LimitRow("activation token", "\(count(activationTokenLength)) bytes"),
            LimitRow(
                "error text that `onDismissed` gets as `$message`; a longer one lacks a part before its end",
                bytes(faultLength)),
            LimitRow(
                "text of another process's error that an error or a line of the log quotes; a longer one lacks a part before its end",
                "\(count(quotedErrorLength)) bytes"),
            LimitRow("title of a screen", "\(count(titleLength)) bytes"),
            LimitRow("screens that `StackChanged` has: the highest ones", "\(count(reportedStack))"),
            LimitRow(
                "arguments of a step; values in the saved state of a screen, or in a result", count(argumentCount)),
            LimitRow("arguments in a key (S-51)", count(keyArguments)),
            LimitRow("pauses that a flow remembers; those that end first are forgotten (S-47)", count(pausesPerFlow)),
            LimitRow("all arguments of a step together; the saved state of a screen; a result", bytes(argumentBytes)),
            LimitRow("containers nested in an argument", count(argumentNesting)),
            LimitRow("deferred steps of a presentable", ofOneClient(deferredSteps, deferredStepsPerClient)),
            LimitRow(
                "steps that wait for a flow, deferred ones included",
                ofOneClient(waitingStepsPerFlow, waitingStepsPerFlowAndClient)
                    + ", \(count(waitingSignalsPerFlow)) of signals"),
            LimitRow(
                "steps in a call of `EmitSteps`, segments in a call of `NavigateAlong`", count(waitingStepsPerFlow)),
            LimitRow("lines of an explanation (`Explain`)", count(explanationLines)),
            LimitRow("steps that one origin triggers (S-11)", count(triggeredSteps)),
            LimitRow("asks of a presentable that are open or not acknowledged (S-45)", count(asksPerPresentable)),
            LimitRow("calls that wait for the outcome of the same token", count(callsPerToken)),
            LimitRow("steps of a registered flow", count(stepsPerRegistration)),
            LimitRow("screens of a registered flow", count(screensPerRegistration)),
            LimitRow("contributors in the answer of a navigator", count(children)),
            LimitRow("arguments of all contributors in the answer of a navigator", bytes(answerBytes)),
            LimitRow("calls of `Present` under way for a screen", count(callsPerScreen)),
            LimitRow(
                "late calls of `Present` whose answers are still expected; the oldest are forgotten", count(lateCalls)),
            LimitRow("answer of a guard or navigator that has to wait for slices (S-7)", bytes(postponedAnswerBytes)),
        ]
    }

    /// The time limits.
    public static var times: [LimitRow] {
        [
            LimitRow("a caller waits for a verdict; after that, the answer is `pending`", time(replyTimeout)),
            LimitRow("a caller of `WaitReady` waits; after that, the answer is `Timeout`", time(replyTimeout)),
            LimitRow("a postponed call waits; after that, the answer is `Timeout` (S-7)", time(replyTimeout)),
            LimitRow("`NavigateAlong`, unless its option `timeout` says otherwise", time(pathTimeout)),
            LimitRow("the answer of a presenter, unless its definition says otherwise", time(presenterTimeout)),
            LimitRow("the answer of a guard or navigator, unless its definition says otherwise", time(guardTimeout)),
            LimitRow(
                "a presenter that failed is not called for this time; each further failure doubles it (S-47)",
                time(firstPause)),
            LimitRow("a presenter that failed is not called for this time at the most", time(longestPause)),
            LimitRow("the failures are forgotten when an owner has stayed for this time", time(survival)),
            LimitRow("a new screen in sight waits for its presenter, unless `patience` says otherwise", time(patience)),
            LimitRow(
                "a screen in sight that lost its owner waits for its presenter, unless `patience` says otherwise",
                time(patienceForLosses)),
            LimitRow(
                "the answer to a repeated `Present`, unless its definition says less", time(repeatedPresentTimeout)),
            LimitRow(
                "after a program has dismissed its screen within this time, what that brings again has to wait (S-47)",
                time(hastyTime)),
            LimitRow("a screen that waits keeps its activation token", time(tokenWait)),
            LimitRow("the owner of a screen that is evicted leaves it (S-44)", time(leaveTime)),
            LimitRow("how long ago the input of `inputTime` can be (S-46)", time(inputAge)),
            LimitRow("a call is remembered by its token (S-9)", time(tokenLifetime)),
            LimitRow("`Touch` has no effect after a step or `Touch` that reached the flow (S-34)", time(touchPause)),
            LimitRow("the time between two steps of a property (S-42)", time(stepperPause)),
            LimitRow("the time between two signals of changed values of the context (S-57)", time(contextPause)),
            LimitRow("an output is gone when it was not in the list for this time (S-53)", time(outputWait)),
            LimitRow(
                "a service has for the first value of a property; then it counts as absent (S-49)", time(firstValueTime)
            ),
        ]
    }

    /// A number with separators: `16,384`.
    private static func count(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : count(number / 1_000) + ",\("\(1_000 + number % 1_000)".dropFirst())"
    }

    private static func bytes(_ number: Int) -> String {
        number >= 1_024 * 1_024 ? "\(number / (1_024 * 1_024)) MiB" : "\(number / 1_024) KiB"
    }

    private static func ofOneClient(_ number: Int, _ share: Int) -> String {
        "\(count(number)), \(count(share)) of one client"
    }

    private static func time(_ microseconds: UInt64) -> String {
        switch microseconds {
        case ..<1_000_000: "\(microseconds / 1_000) ms"
        case ..<3_600_000_000: "\(microseconds / 1_000_000) s"
        default: "\(microseconds / 3_600_000_000) h"
        }
    }
}
