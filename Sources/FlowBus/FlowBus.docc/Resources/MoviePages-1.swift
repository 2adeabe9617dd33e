import RxCocoa
import RxFlow
import RxSwift
import UIKit

class MovieListViewController: UITableViewController {
    let viewModel: MovieListViewModel

    init(_ viewModel: MovieListViewModel) {
        self.viewModel = viewModel
        super.init(style: .plain)
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        viewModel.pick(movieId: viewModel.movies[indexPath.item].id)
    }
}

class MovieListViewModel: Stepper {
    let steps = PublishRelay<Step>()
    let movies: [Movie]

    init(_ movies: [Movie]) { self.movies = movies }

    func pick(movieId: Int) { steps.accept(DemoStep.movieIsPicked(withId: movieId)) }
}
