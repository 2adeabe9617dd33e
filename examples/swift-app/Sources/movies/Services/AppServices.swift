/// The services that the flows get in their initializers.
@MainActor
final class AppServices {
    let movies = MoviesService()
    let preferences = PreferencesService()
    let account = AccountService()
}

/// The stored preferences of the user.
@MainActor
final class PreferencesService {
    var isOnboarded = false
}

/// The user's account. It is elsewhere, so a request takes a while.
actor AccountService {
    private var member = false

    func isMember() -> Bool { member }
    func join() { member = true }
}
