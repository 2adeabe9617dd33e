import FlowBus

/// A tab for each list of movies.
final class DashboardFlow: Flow {
    static let steps: [any Step.Type] = [DemoStep.self]
    let root = Tabs("Dashboard")
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .dashboardIsRequired: return navigateToDashboard()
        default: return .none
        }
    }

    private func navigateToDashboard() -> FlowContributors {
        let wishlistStepper = WishlistStepper()
        let wishlistFlow = WishlistFlow(withServices: services, andStepper: wishlistStepper)
        let watchedFlow = WatchedFlow(withServices: services)

        Flows.use(wishlistFlow, watchedFlow, when: .ready) { [unowned self] wishlistRoot, watchedRoot in
            root.setTabs([wishlistRoot, watchedRoot])
        }

        return .multiple(flowContributors: [
            .contribute(
                withNextPresentable: wishlistFlow,
                withNextStepper: CompositeStepper(steppers: [
                    OneStepper(withSingleStep: DemoStep.moviesAreRequired), wishlistStepper,
                ])),
            .contribute(
                withNextPresentable: watchedFlow,
                withNextStepper: OneStepper(withSingleStep: DemoStep.moviesAreRequired)),
        ])
    }
}
