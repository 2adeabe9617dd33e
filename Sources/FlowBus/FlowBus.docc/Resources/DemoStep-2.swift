import FlowBus

/// The events of the app. A step describes what happened; the flows decide where it leads.
@Step
enum DemoStep: Equatable {
    // Onboarding
    case onboardingIsRequired
    case loginIsRequired
    case userIsLoggedIn
    case apiKeyIsFilledIn
    case onboardingIsComplete

    // Movies
    case dashboardIsRequired
    case moviesAreRequired
    case movieIsPicked(withId: Int)
    case castIsPicked(withId: Int)
    case membershipIsRequired(for: String)

    // Settings
    case settingsAreRequired
    case accountIsRequired
    case userIsMember
    case aboutIsRequired
    case settingsAreComplete
}
