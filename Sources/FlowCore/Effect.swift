/// Something that the driver has to do, in order. An effect holds all that it needs, because the tree may have changed when
/// it is carried out.
public enum Effect: Equatable, Sendable {
    /// Send `NavigationWillOccur`.
    case emitNavigationWillOccur(Announcement)
    /// Send `InterfacesRemoved`: the presentable at this path is gone.
    case removePresentable(path: String, isFlow: Bool)
    /// Send `InterfacesAdded`.
    indirect case addPresentable(PresentableState)
    /// Send `PropertiesChanged`.
    case changeProperties(PropertyChanges)
    /// Send `NavigationOccurred`.
    case emitNavigationOccurred(Navigation)
    /// Send `NavigationFailed`.
    case emitNavigationFailed(NavigationFailure)
    /// Send `StackChanged`: on this output, or for the roots that have none if it is empty, other screens are in sight, or something of
    /// them changed. The highest ones, from the lowest to the highest.
    case emitStackChanged(output: String, [StackedScreen])
    /// Send `BackChanged`: Back on the root with this path would do something else now.
    case emitBackChanged(path: String, BackPreview)
    /// Send `SightChanged` to the owner of the screen with this path.
    case emitSightChanged(path: String, isInSight: Bool, owner: Client)
    /// Call `Adapt` of a guard, and report ``Event/guardReplied(_:_:)``.
    indirect case askGuard(Question)
    /// Call `Navigate` of a navigator, and report ``Event/navigatorReplied(_:_:)``.
    indirect case askNavigator(Question)
    /// Send `PropertiesChanged`: the coordinator's context has these values now, without private ones (S-57).
    case changeContext(Arguments)
    /// Send `ContextChanged` to the owner of a screen.
    case emitContextChanged(ContextNews)
    /// Call `Present` of a presenter, and report ``Event/presenterReplied(_:_:)``.
    indirect case present(Presentation)
    /// Call `Alive` of an owner, and report ``Event/aliveReplied(_:_:)``.
    case askAlive(AliveCheck)
    /// End the process of the client that owned a screen of this name, for it hangs (S-44).
    case endProcess(of: Client, screen: String)
    /// Have the bus start the program with this well-known name, and log if it can't (S-44).
    case startService(String)
    /// The answer to this question is no longer needed. If the call was not sent, it need not be; a presenter's answer has
    /// to be reported anyway.
    case dropQuestion(QuestionID)
    /// Call `Withdraw` of an owner.
    case withdraw(Withdrawal)
    /// Send `StepConcluded`.
    case emitStepConcluded(Conclusion)
    /// Send `Answered`. It follows the answer to a call of the same event.
    indirect case emitAnswered(Answered)
    /// Report ``Event/clientVanished(_:)`` when this client has left the bus, and ``Event/clientIdentified(_:user:)``
    /// before that if it belongs to another user.
    case watchClient(Client)
    /// Send `DefinitionsChanged`: clients registered or unregistered flows.
    case emitDefinitionsChanged
    /// Answer a call.
    case reply(RequestID, Answer)
    /// Refuse a call.
    case fail(RequestID, FlowError)
    /// Report ``Event/timerFired`` at this time, in place of any earlier timer; nil for no timer.
    case startTimer(at: Instant?)
    /// Log that the root with this path could not be started; no client waits for it.
    case reportUnstarted(path: String, FlowError)
    /// Log that the presentable at this path, or a part of it, could not be restored, and why (D-5).
    case reportUnrestored(path: String, String)
    /// A screen that came in sight for the first time is visible; to be logged (S-46).
    case reportTiming(PresentationTiming)
    /// Log that the screen with this path waits: its presenter, which failed, is not called for so long (S-47). Without a presenter:
    /// that the flow with this path, which is empty, takes its initial step again so much later (S-48).
    case reportDelay(path: String, presenter: String, microseconds: UInt64, Fault)
}

extension Effect {
    fileprivate var isChange: Bool { if case .changeProperties = self { true } else { false } }

    /// Whether it calls a program that shows screens, or starts one.
    var isForPresenters: Bool {
        switch self {
        case .present, .askAlive, .withdraw, .startService: true
        default: false
        }
    }
}

extension [Effect] {
    /// Removes all effects, and keeps the memory. One by one: `removeAll(keepingCapacity:)` looks up for each how an effect is
    /// destroyed, which takes twice as long.
    public mutating func clear() {
        while case .some = popLast() {}
    }

    /// Puts the effects of an event, which are in the order in which it happened, into the order in which clients are to learn of them
    /// (S-10): programs that show screens are called before all who watch. Guards and navigators are asked in turn, as they decide by
    /// what they know. Of a presentable that changed several times, the last values are reported, once; its owner, too, is told once
    /// whether it is in sight.
    public mutating func arrange() {
        mergeChanges()
        let calls = filter(\.isForPresenters)
        if calls.isEmpty { return }
        removeAll(where: \.isForPresenters)
        insert(contentsOf: calls, at: 0)
    }

    private mutating func mergeChanges() {
        if !contains(where: \.isChange) { return }
        // Where the latest values of a presentable are, by its path; nil if it is gone by then.
        var places: [String: Int?] = [:]
        var outdated: [Int] = []
        // The owners that are told later whether a presentable is in sight, with its path.
        var told: Set<[String]> = []
        for place in indices.reversed() {
            switch self[place] {
            case .removePresentable(let path, _): places[path] = .some(nil)
            case .addPresentable(let state): places[state.path] = nil
            case .changeProperties(let changes):
                guard let later = places[changes.path] else {
                    places[changes.path] = place
                    continue
                }
                outdated.append(place)
                guard let later, case .changeProperties(var latest) = self[later] else { continue }
                latest.properties.fill(from: changes.properties)
                self[later] = .changeProperties(latest)
            case .emitSightChanged(let path, _, let owner):
                if !told.insert([path, owner.name]).inserted { outdated.append(place) }
            default: break
            }
        }
        for place in outdated { remove(at: place) }
    }
}

/// A navigation that is about to begin (*will*).
public struct Announcement: Equatable, Sendable {
    /// The flow's path.
    public var flow: String
    /// The step's name.
    public var step: String
    /// The step's arguments, without private ones.
    public var arguments: Arguments
    /// Whether a deep link brought the step (S-27).
    public var isDeepLink: Bool
    /// The name of the step that the guard replaced with this one; nil if it did not.
    public var adaptedFrom: String?
}

/// A navigation that has occurred (*did*, S-10).
public struct Navigation: Equatable, Sendable {
    /// The flow's path.
    public var flow: String
    /// The name of the flow's definition.
    public var definition: String
    /// The serial, which only grows, for all flows together.
    public var serial: UInt64
    /// The serial of the navigation that triggered it; 0 if it comes from outside.
    public var cause: UInt64
    /// The client that started the cascade.
    public var client: Client
    /// The step's name; empty for a Back that dismissed (S-24).
    public var step: String
    /// The step's arguments, without private ones.
    public var arguments: Arguments
    /// The applied contributors, in order; empty for `none`.
    public var contributions: [Contribution]
    /// Whether a deep link brought the step (S-27).
    public var isDeepLink: Bool
    /// The name of the step that the guard replaced with this one; nil if it did not.
    public var adaptedFrom: String?
}

/// A step that failed, was rejected or ignored, and that no client waits for (S-12).
public struct NavigationFailure: Equatable, Sendable {
    /// The reason of a failure.
    public enum Reason: Equatable, Sendable {
        /// The verdict was not `navigated`.
        case verdict(Verdict)
        /// The step was refused.
        case error(FlowError.Code)
    }

    /// The path of the step's flow, or of its nearest live ancestor.
    public var flow: String
    /// The serial of the navigation that triggered the step; 0 if it comes from outside.
    public var cause: UInt64
    /// The client that started the cascade.
    public var client: Client
    /// The step's name.
    public var step: String
    /// The reason.
    public var reason: Reason
    /// The reason, as a text for people.
    public var message: String
    /// Whether it is the step of a timer, such as an idle step, which will be tried again (S-34, S-55).
    public var isTimed = false
}
