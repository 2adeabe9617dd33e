struct Movie {
    let id: Int
    let title: String
    let director: String
    let castIds: [Int]
    let isWatched: Bool
}

struct Cast {
    let id: Int
    let name: String
    let bio: String
}

/// Movies, with their cast.
@MainActor
final class MoviesService {
    private let movies = [
        Movie(id: 1, title: "Metropolis", director: "Fritz Lang", castIds: [1], isWatched: false),
        Movie(id: 2, title: "Safety Last!", director: "Fred C. Newmeyer", castIds: [2], isWatched: false),
        Movie(id: 3, title: "The General", director: "Buster Keaton", castIds: [3], isWatched: true),
        Movie(id: 4, title: "Nosferatu", director: "F. W. Murnau", castIds: [4], isWatched: true),
    ]

    private let casts = [
        Cast(id: 1, name: "Brigitte Helm", bio: "Was two persons at once."),
        Cast(id: 2, name: "Harold Lloyd", bio: "Climbed the house himself."),
        Cast(id: 3, name: "Buster Keaton", bio: "Never smiled."),
        Cast(id: 4, name: "Max Schreck", bio: "Blinks once in the whole film."),
    ]

    func wishlistMovies() -> [Movie] { movies.filter { !$0.isWatched } }
    func watchedMovies() -> [Movie] { movies.filter(\.isWatched) }
    func casts(of movie: Movie) -> [Cast] { movie.castIds.map(cast(withId:)) }

    /// A step from another program can have any number.
    func movie(withId id: Int) -> Movie {
        movies.first { $0.id == id }
            ?? Movie(id: id, title: "Movie \(id)", director: "nobody", castIds: [], isWatched: false)
    }

    func cast(withId id: Int) -> Cast {
        casts.first { $0.id == id } ?? Cast(id: id, name: "Cast \(id)", bio: "")
    }
}
