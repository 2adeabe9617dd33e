import FlowBus

/// What can happen in the app. A step says what is so; where that leads is for the flows.
enum DemoStep: Step, Equatable {
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
