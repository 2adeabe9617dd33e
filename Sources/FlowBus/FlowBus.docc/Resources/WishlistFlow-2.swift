import FlowBus

/// The movies to see; only members can see details of the cast.
final class WishlistFlow: Flow {
    static let steps: [any Step.Type] = [DemoStep.self]
    let root = Stack("Wishlist")
    private let services: AppServices
    private let wishlistStepper: WishlistStepper

    init(withServices services: AppServices, andStepper stepper: WishlistStepper) {
        self.services = services
        wishlistStepper = stepper
    }

    /// No other step of this flow is taken before the account has answered.
    func adapt(step: any Step) async throws -> any Step {
        switch step {
        case DemoStep.castIsPicked(let castId):
            if await services.account.isMember() { return step }
            return DemoStep.membershipIsRequired(for: services.movies.cast(withId: castId).name)
        default: return step
        }
    }

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .moviesAreRequired: return navigateToMovieList()
        case .movieIsPicked(let movieId): return navigateToMovieDetail(with: movieId)
        case .castIsPicked(let castId): return navigateToCastDetail(with: castId)
        case .membershipIsRequired(let name): return navigateToAlert(about: name)
        case .settingsAreRequired: return navigateToSettings()
        // The settings flow's window was withdrawn with the flow.
        case .settingsAreComplete: return .none
        default: return .none
        }
    }

    private func navigateToMovieList() -> FlowContributors {
        let list = MovieList("Wishlist", MovieListViewModel(services.movies.wishlistMovies()))
        list.buttons.append(Button("Settings") { [wishlistStepper] in wishlistStepper.settingsAreRequired() })
        root.push(list)
        return .one(flowContributor: .contribute(withNextPresentable: list, withNextStepper: list.viewModel))
    }

    private func navigateToMovieDetail(with movieId: Int) -> FlowContributors {
        let detail = MovieDetail(MovieDetailViewModel(withMovieId: movieId, andServices: services))
        root.push(detail)
        return .one(flowContributor: .contribute(withNextPresentable: detail, withNextStepper: detail.viewModel))
    }

    private func navigateToCastDetail(with castId: Int) -> FlowContributors {
        let detail = CastDetail(services.movies.cast(withId: castId))
        root.push(detail)
        return .one(flowContributor: .contribute(withNextPresentable: detail, withNextStepper: NoneStepper()))
    }

    private func navigateToAlert(about name: String) -> FlowContributors {
        let alert = Alert(saying: "Only members may read about \(name).")
        root.push(alert)
        return .one(flowContributor: .contribute(withNextPresentable: alert, withNextStepper: NoneStepper()))
    }

    private func navigateToSettings() -> FlowContributors {
        let settingsStepper = SettingsStepper()
        let settingsFlow = SettingsFlow(withServices: services, andStepper: settingsStepper)
        Flows.use(settingsFlow, when: .created) { [unowned self] root in self.root.push(root) }
        return .one(flowContributor: .contribute(withNextPresentable: settingsFlow, withNextStepper: settingsStepper))
    }
}

/// Emits the steps of the buttons in the wishlist's bar.
final class WishlistStepper: Stepper {
    let steps = PublishRelay<any Step>()

    func settingsAreRequired() { steps.accept(DemoStep.settingsAreRequired) }
}
