package import FlowCore

/// Reports to the host what a flow or screen of this program says about itself: its visibility, its title, its saved state,
/// and how it ends.
///
/// What the host did not get because there was no service is reported again later. What only an owner may report waits until
/// this program is the owner, which it is once it has presented the screen.
@FlowActor
package final class PresenceReports {
    /// The calls of the host for the presentable.
    package struct Calls {
        package var setVisible: (Bool, @escaping Done<Void>) -> Void
        package var dismiss: (@escaping Done<Void>) -> Void
        package var setTitle: (String, @escaping Done<Void>) -> Void
        package var save: (FlowCore.Arguments, @escaping Done<Void>) -> Void
        package var finish: (GivenAnswer, @escaping Done<Void>) -> Void

        package init(
            setVisible: @escaping (Bool, @escaping Done<Void>) -> Void,
            dismiss: @escaping (@escaping Done<Void>) -> Void,
            setTitle: @escaping (String, @escaping Done<Void>) -> Void,
            save: @escaping (FlowCore.Arguments, @escaping Done<Void>) -> Void,
            finish: @escaping (GivenAnswer, @escaping Done<Void>) -> Void
        ) {
            self.setVisible = setVisible
            self.dismiss = dismiss
            self.setTitle = setTitle
            self.save = save
            self.finish = finish
        }
    }

    /// Whether the presentable closed itself; then it is not withdrawn.
    package private(set) var isDismissed = false
    /// Whether this program has presented the screen.
    private(set) var isOwner = false

    private let calls: Calls
    private let properties: SavedProperties
    private let saver: StateSaver
    private let failed: @FlowActor (NavigationError) -> Void
    /// Called when the host has taken the dismissal or the answer, or the presentable was gone already.
    package var isGone: (@FlowActor () -> Void)?
    private var isEnded = false
    /// What the presentable said last.
    private var now = ScreenReport()
    /// While it is presented, what the service knows of it: the answer has what is new.
    private var answering: ScreenReport?
    /// Calls about the visibility that are under way.
    private var visibleCalls = 0
    /// The latest change of visibility, or the dismissal, that did not reach the service.
    private var unreported: Presence.Change?
    /// Counts the changes of visibility and dismissals.
    private var changeCount = 0
    /// A title and an answer that were not sent, or did not reach the service.
    private var title: String?
    private var answer: GivenAnswer?
    /// Counts the titles that were sent.
    private var titleCount = 0
    /// Whether a property has changed that is not saved.
    private var isStateChanged = false
    private var subscriptions: [Subscription] = []

    /// - Parameters:
    ///   - properties: the properties to save.
    ///   - calls: the calls of the host.
    ///   - failed: receives the errors that nobody waits for.
    package init(
        _ properties: SavedProperties, _ calls: Calls, _ failed: @escaping @FlowActor (NavigationError) -> Void
    ) {
        (self.properties, self.calls, self.failed) = (properties, calls, failed)
        saver = StateSaver(calls.save)
        subscriptions = properties.subscribe { [weak self] in
            self?.isStateChanged = true
            self?.saveState()
        }
    }

    /// Calls the block when nothing is to be saved any more.
    package func whenSaved(_ block: @escaping @FlowActor () -> Void) { saver.whenSaved(block) }

    /// The presentable is gone.
    package func end() {
        isEnded = true
        for subscription in subscriptions { subscription.end() }
        subscriptions = []
    }

    package func report(_ change: Presence.Change) {
        switch change {
        case .visible(let isVisible):
            now.isVisible = isVisible
            if answering == nil { sendVisible(isVisible) }
        case .dismissed:
            isDismissed = true
            send(change) { calls.dismiss($0) }
        case .finished(let answer):
            isDismissed = true
            self.answer = answer
            sendAnswer()
        case .title(let title):
            now.title = title
            self.title = title
            sendTitle()
        }
    }

    /// Presents the presentable, and returns what the answer is to say of it: what is other than the service knows. What an answer that was
    /// lost had said is in the next one.
    package func answer(_ known: ScreenReport, _ present: () -> Void) -> ScreenReport {
        let before = now.isVisible
        answering = known
        present()
        let known = answering ?? known
        answering = nil
        var report = ScreenReport()
        // What a call says already is not said twice: the second time would select a tab (S-50).
        if let isVisible = now.isVisible, isVisible != known.isVisible ?? false,
            visibleCalls == 0 || isVisible != before
        {
            report.isVisible = isVisible
            changeCount += 1
            if case .visible? = unreported { unreported = nil }
        }
        if let title = now.title, ScreenReport.takes(title: title) {
            if title != known.title ?? "" { report.title = title }
            self.title = nil
            titleCount += 1
        }
        return report
    }

    /// The presentable emits a step while it is presented: for the gate, it has to be as visible as it says.
    package func sendBeforeStep() {
        guard let known = answering, let isVisible = now.isVisible, isVisible != known.isVisible ?? false else {
            return
        }
        answering?.isVisible = isVisible
        sendVisible(isVisible)
    }

    private func sendVisible(_ isVisible: Bool) {
        visibleCalls += 1
        send(.visible(isVisible)) { [weak self, calls] done in
            calls.setVisible(isVisible) { result in
                self?.visibleCalls -= 1
                done(result)
            }
        }
    }

    /// Gives the properties the values that an earlier process saved, unless this one has other values already.
    package func restore(_ state: FlowCore.Arguments) {
        if isOwner || isStateChanged { return }
        for error in properties.restore(state) { failed(NavigationError(error)) }
    }

    /// This program has presented the screen, maybe again.
    package func becomeOwner() {
        isOwner = true
        sendHeld()
    }

    /// The service is back: reports what it did not get.
    package func catchUp() {
        if let unreported { report(unreported) }
        sendHeld()
    }

    private func sendHeld() {
        sendTitle()
        saveState()
        sendAnswer()
    }

    private func send(_ change: Presence.Change, _ call: (@escaping Done<Void>) -> Void) {
        unreported = nil
        changeCount += 1
        let count = changeCount
        call { [weak self] result in
            self?.take(result) {
                // Only the latest change is worth repeating.
                if $0.changeCount == count { $0.unreported = change }
            }
            if change == .dismissed { self?.checkGone(result) }
        }
    }

    private func sendTitle() {
        guard isOwner, answering == nil, let title else { return }
        self.title = nil
        titleCount += 1
        let count = titleCount
        calls.setTitle(title) { [weak self] result in
            // Only the latest title is worth repeating.
            self?.take(result) { if $0.titleCount == count, $0.title == nil { $0.title = title } }
        }
    }

    private func sendAnswer() {
        guard isOwner, let answer else { return }
        self.answer = nil
        calls.finish(answer) { [weak self] result in
            self?.take(result) { $0.answer = answer }
            self?.checkGone(result)
            // The screen has closed itself, and whoever asked for it must not wait for ever.
            if case .failure(let error) = result, error.isFromService, error.code != .unknownObject {
                self?.report(.dismissed)
            }
        }
    }

    private func checkGone(_ result: Result<Void, NavigationError>) {
        switch result {
        case .success: isGone?()
        case .failure(let error): if error.code == .unknownObject { isGone?() }
        }
    }

    private func saveState() {
        guard isOwner, isStateChanged, !isDismissed else { return }
        saver.save { [weak self] () throws(NavigationError) in
            guard let self else { return [] }
            isStateChanged = false
            do throws(StepError) { return try properties.encode() } catch { throw NavigationError(error) }
        } _: { [weak self] result in
            self?.take(result) { $0.isStateChanged = true }
        }
    }

    /// Takes the result of a call; `keep` keeps what has to be repeated.
    private func take(_ result: Result<Void, NavigationError>, _ keep: (PresenceReports) -> Void) {
        guard case .failure(let error) = result, !isEnded else { return }
        if !error.isFromService { keep(self) }
        // The presentable is gone, so there is nothing to report.
        if error.code != .unknownObject { failed(error) }
    }
}

extension ScreenReport {
    /// Whether a title can go with an answer to `Present`, of which nothing counts if the title can't be taken. A call of its own gets the
    /// error then.
    package static func takes(title: String) -> Bool {
        // The bus refuses these characters.
        title.utf8.count <= Limits.titleLength
            && title.unicodeScalars.allSatisfy { scalar in
                scalar.value != 0 && scalar.value & 0xfffe != 0xfffe && !(0xfdd0...0xfdef).contains(scalar.value)
            }
    }
}
