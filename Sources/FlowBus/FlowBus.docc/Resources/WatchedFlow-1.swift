import RxFlow
import UIKit

class WatchedFlow: Flow {
    var root: Presentable { rootViewController }
    private let rootViewController = UINavigationController()
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func navigate(to step: Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .moviesAreRequired: return navigateToMovieList()
        case .movieIsPicked(let movieId): return navigateToMovieDetail(with: movieId)
        case .castIsPicked(let castId): return navigateToCastDetail(with: castId)
        default: return .none
        }
    }

    private func navigateToMovieList() -> FlowContributors {
        let list = MovieListViewController(MovieListViewModel(services.movies.watchedMovies()))
        list.title = "Watched"
        rootViewController.pushViewController(list, animated: true)
        return .one(flowContributor: .contribute(withNextPresentable: list, withNextStepper: list.viewModel))
    }

    private func navigateToMovieDetail(with movieId: Int) -> FlowContributors {
        let detail = MovieDetailViewController(MovieDetailViewModel(withMovieId: movieId, andServices: services))
        rootViewController.pushViewController(detail, animated: true)
        return .one(flowContributor: .contribute(withNextPresentable: detail, withNextStepper: detail.viewModel))
    }

    private func navigateToCastDetail(with castId: Int) -> FlowContributors {
        let detail = CastDetailViewController(services.movies.cast(withId: castId))
        rootViewController.pushViewController(detail, animated: true)
        return .none
    }
}
