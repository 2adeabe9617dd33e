import FlowBus

/// A simulated user of the app, which prints each navigation.
///
/// The flows know neither the tour nor whether they are on the bus.
@MainActor
final class Tour {
    private let coordinator: FlowCoordinator
    private let services = AppServices()
    private let window = Window("Movies")
    private let navigations: NavigationEvents<FlowNavigation>
    private let failures: NavigationEvents<NavigationFailure>

    init(_ coordinator: FlowCoordinator) {
        self.coordinator = coordinator
        navigations = coordinator.didNavigate
        failures = coordinator.failures
    }

    /// Runs the tour.
    ///
    /// - Parameter isHelped: whether another program picks a movie when the tour asks for it.
    func play(isHelped: Bool) async throws {
        let appFlow = AppFlow(withServices: services, in: window)

        narrate("The app is new: it begins with the onboarding.")
        try await coordinator.coordinate(flow: appFlow, with: AppStepper(withServices: services))
        await until("OnboardingFlow", .loginIsRequired)
        look()
        try press("Log in")
        await until("OnboardingFlow", .userIsLoggedIn)
        look()

        narrate("With the key it is complete. The dashboard has its tabs when both flows are ready.")
        try press("OK")
        await until("WatchedFlow", .moviesAreRequired)
        await until { window.pages.first?.title == "Wishlist" }
        look()

        narrate("A movie, and who plays in it: the account is asked first, and says no.")
        try press("Metropolis")
        await until("WishlistFlow", .movieIsPicked(withId: 1))
        look()
        try press("Brigitte Helm")
        await until("WishlistFlow", .membershipIsRequired(for: "Brigitte Helm"))
        look()
        try back()
        try back()

        narrate("The settings: a flow of its own, with two pages at once.")
        try press("Settings")
        await until("SettingsFlow", .accountIsRequired)
        look()
        try press("Become a member")
        await until("SettingsFlow", .userIsMember)
        look()
        try press("Done")
        await until("WishlistFlow", .settingsAreComplete)
        look()

        narrate("Another program picks a movie in the wishlist: movieIsPicked withId=2.")
        if !isHelped { try press("Safety Last!") }
        await until("WishlistFlow", .movieIsPicked(withId: 2))
        look()
        try press("Harold Lloyd")
        await until("WishlistFlow", .castIsPicked(withId: 2))
        look()

        narrate("A step from a page that is not visible is not taken; a signal reports it.")
        try press("The General", in: "Watched")
        await failure()
        narrate("The other tab.")
        try select("Watched")
        try press("Nosferatu")
        await until("WatchedFlow", .movieIsPicked(withId: 4))
        look()

        narrate("A deep link goes to every flow; those that know the way take it.")
        let outcomes = try await coordinator.navigate(to: DemoStep.movieIsPicked(withId: 3))
        for _ in outcomes { await next() }
        look()
        try select("Wishlist")
        look()
    }

    // MARK: What the tour prints

    private func narrate(_ text: String) { say("# \(text)") }

    /// Prints the visible pages.
    private func look() {
        for page in window.pages { say("    \(page.picture)") }
    }

    /// The next navigation.
    @discardableResult
    private func next() async -> FlowNavigation? {
        var iterator = navigations.makeAsyncIterator()
        guard let navigation = await iterator.next(isolation: #isolation) else { return nil }
        var line = "did navigate flow=\(navigation.flow.name)"
        if let step = navigation.step { line += " step=\(step)" }
        if let first = navigation.adaptedFrom { line += " instead of \(first)" }
        let led = navigation.contributions.map { "\($0.kind) \($0.name)" }
        say(led.isEmpty ? line : "\(line) → \(led.joined(separator: ", "))")
        return navigation
    }

    /// Prints the next failure.
    private func failure() async {
        var iterator = failures.makeAsyncIterator()
        guard let failure = await iterator.next(isolation: #isolation) else { return }
        let reason = failure.verdict?.rawValue ?? failure.error?.code.rawValue ?? ""
        say("failed on=\(failure.path) step=\(failure.step): \(reason)")
    }

    /// Prints all navigations up to this one.
    private func until(_ flow: String, _ step: DemoStep) async {
        while let navigation = await next() {
            if navigation.flow.name == flow, navigation.step as? DemoStep == step { return }
        }
    }

    /// Waits until the window fulfills a condition.
    private func until(_ condition: () -> Bool) async {
        var changes = window.changes.values.makeAsyncIterator()
        while !condition() { _ = await changes.next(isolation: #isolation) }
    }

    // MARK: What the user does

    /// Presses a visible button, or one in a tab, visible or not.
    private func press(_ label: String, in title: String? = nil) throws {
        let buttons = try (title.map { try tab($0).1.pages } ?? window.pages).flatMap(\.buttons)
        guard let button = buttons.first(where: { $0.label == label }) else {
            throw TourError("there is no button '\(label)', but \(buttons.map(\.label))")
        }
        button.press()
    }

    private func select(_ title: String) throws {
        let (tabs, tab) = try tab(title)
        tabs.select(tab)
    }

    private func tab(_ title: String) throws -> (Tabs, Pane) {
        guard let tabs = window.panes.last as? Tabs, let tab = tabs.tabs.first(where: { $0.title == title }) else {
            throw TourError("there is no tab '\(title)' in sight")
        }
        return (tabs, tab)
    }

    /// Closes the page on top.
    private func back() throws {
        guard let page = window.pages.last, let stack = page.container as? Stack else {
            throw TourError("nothing in sight can be closed")
        }
        stack.pop()
    }
}

/// An error for an app that is not in the expected state.
struct TourError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
