import FlowBus

/// The root: first the onboarding, then the dashboard.
final class AppFlow: Flow {
    static let steps: [any Step.Type] = [DemoStep.self]
    let root: Stack
    private let services: AppServices

    init(withServices services: AppServices, in window: Stack) {
        self.services = services
        root = window
    }

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .onboardingIsRequired: return navigateToOnboarding()
        // The onboarding flow's window was withdrawn with the flow.
        case .onboardingIsComplete:
            return .one(flowContributor: .forwardToCurrentFlow(withStep: DemoStep.dashboardIsRequired))
        case .dashboardIsRequired: return navigateToDashboard()
        default: return .none
        }
    }

    private func navigateToOnboarding() -> FlowContributors {
        let onboardingFlow = OnboardingFlow(withServices: services)
        Flows.use(onboardingFlow, when: .created) { [unowned self] root in self.root.push(root) }
        return .one(
            flowContributor: .contribute(
                withNextPresentable: onboardingFlow,
                withNextStepper: OneStepper(withSingleStep: DemoStep.loginIsRequired)))
    }

    private func navigateToDashboard() -> FlowContributors {
        let dashboardFlow = DashboardFlow(withServices: services)
        Flows.use(dashboardFlow, when: .created) { [unowned self] root in self.root.push(root) }
        return .one(
            flowContributor: .contribute(
                withNextPresentable: dashboardFlow,
                withNextStepper: OneStepper(withSingleStep: DemoStep.dashboardIsRequired)))
    }
}

/// Emits the first step of the app.
final class AppStepper: Stepper {
    let steps = PublishRelay<any Step>()
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    var initialStep: any Step {
        services.preferences.isOnboarded ? DemoStep.dashboardIsRequired : DemoStep.onboardingIsRequired
    }
}
