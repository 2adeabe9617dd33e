import FlowBus

/// The movies already seen.
final class WatchedFlow: Flow {
    static let steps: [any Step.Type] = [DemoStep.self]
    let root = Stack("Watched")
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .moviesAreRequired: return navigateToMovieList()
        case .movieIsPicked(let movieId): return navigateToMovieDetail(with: movieId)
        case .castIsPicked(let castId): return navigateToCastDetail(with: castId)
        default: return .none
        }
    }

    private func navigateToMovieList() -> FlowContributors {
        let list = MovieList("Watched", MovieListViewModel(services.movies.watchedMovies()))
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
}
