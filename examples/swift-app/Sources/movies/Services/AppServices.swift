/// What the flows need, handed on by their initializers.
@MainActor
final class AppServices {
    let movies = MoviesService()
    let preferences = PreferencesService()
    let account = AccountService()
}

/// What is kept about the user.
@MainActor
final class PreferencesService {
    var isOnboarded = false
}

/// Who the user is; somewhere else, so it takes a while to ask.
actor AccountService {
    private var member = false

    func isMember() -> Bool { member }
    func join() { member = true }
}
