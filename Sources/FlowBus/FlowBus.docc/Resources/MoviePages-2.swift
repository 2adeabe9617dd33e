import FlowBus

/// A list of movies.
final class MovieList: Page {
    let viewModel: MovieListViewModel

    init(_ title: String, _ viewModel: MovieListViewModel) {
        self.viewModel = viewModel
        super.init(title)
        buttons = viewModel.movies.map { movie in
            Button(movie.title) { viewModel.pick(movieId: movie.id) }
        }
    }
}

final class MovieListViewModel: Stepper {
    let steps = PublishRelay<any Step>()
    let movies: [Movie]

    init(_ movies: [Movie]) { self.movies = movies }

    func pick(movieId: Int) { steps.accept(DemoStep.movieIsPicked(withId: movieId)) }
}

/// A movie, with its cast.
final class MovieDetail: Page {
    let viewModel: MovieDetailViewModel

    init(_ viewModel: MovieDetailViewModel) {
        self.viewModel = viewModel
        super.init(viewModel.title)
        text = "by \(viewModel.director)"
        buttons = viewModel.casts.map { cast in
            Button(cast.name) { viewModel.pick(castId: cast.id) }
        }
    }
}

final class MovieDetailViewModel: Stepper {
    let steps = PublishRelay<any Step>()
    let title: String
    let director: String
    let casts: [Cast]

    init(withMovieId id: Int, andServices services: AppServices) {
        let movie = services.movies.movie(withId: id)
        title = movie.title
        director = movie.director
        casts = services.movies.casts(of: movie)
    }

    func pick(castId: Int) { steps.accept(DemoStep.castIsPicked(withId: castId)) }
}

/// A member of the cast.
final class CastDetail: Page {
    init(_ cast: Cast) {
        super.init(cast.name)
        text = cast.bio
    }
}
