import FlowBus

/// Asks for the user's name and key. It ends with a step for its parent, which it does not know.
final class OnboardingFlow: Flow {
    static let steps: [any Step.Type] = [DemoStep.self]
    let root = Stack("Onboarding")
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .loginIsRequired: return navigateToLogin()
        case .userIsLoggedIn: return navigateToApiKey()
        case .apiKeyIsFilledIn: return .end(forwardToParentFlowWithStep: DemoStep.onboardingIsComplete)
        default: return .none
        }
    }

    private func navigateToLogin() -> FlowContributors {
        let login = Login(LoginViewModel(withServices: services))
        root.push(login)
        return .one(flowContributor: .contribute(withNextPresentable: login, withNextStepper: login.viewModel))
    }

    private func navigateToApiKey() -> FlowContributors {
        let apiKey = ApiKey(ApiKeyViewModel(withServices: services))
        root.push(apiKey)
        return .one(flowContributor: .contribute(withNextPresentable: apiKey, withNextStepper: apiKey.viewModel))
    }
}
