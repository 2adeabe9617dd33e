import FlowBus

/// The settings: a list, and the selected item next to it.
final class SettingsFlow: Flow {
    static let steps: [any Step.Type] = [DemoStep.self]
    let root = Split("Settings")
    private let services: AppServices
    private let settingsStepper: SettingsStepper

    init(withServices services: AppServices, andStepper stepper: SettingsStepper) {
        self.services = services
        settingsStepper = stepper
    }

    func navigate(to step: any Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .settingsAreRequired: return navigateToSettings()
        case .accountIsRequired: return navigateToAccount()
        case .userIsMember, .aboutIsRequired: return navigateToAbout()
        case .settingsAreComplete: return .end(forwardToParentFlowWithStep: DemoStep.settingsAreComplete)
        default: return .none
        }
    }

    /// The list, with its first item selected.
    private func navigateToSettings() -> FlowContributors {
        let list = SettingsList(settingsStepper)
        root.setMaster(list)
        return .multiple(flowContributors: [
            .contribute(withNextPresentable: list, withNextStepper: NoneStepper()),
            .forwardToCurrentFlow(withStep: DemoStep.accountIsRequired),
        ])
    }

    private func navigateToAccount() -> FlowContributors {
        let account = Account(AccountViewModel(withServices: services))
        root.setDetail(account)
        return .one(flowContributor: .contribute(withNextPresentable: account, withNextStepper: account.viewModel))
    }

    private func navigateToAbout() -> FlowContributors {
        let about = About()
        root.setDetail(about)
        return .one(flowContributor: .contribute(withNextPresentable: about, withNextStepper: NoneStepper()))
    }
}

/// Emits the steps of the settings' list.
final class SettingsStepper: Stepper {
    let steps = PublishRelay<any Step>()

    var initialStep: any Step { DemoStep.settingsAreRequired }

    func accountIsRequired() { steps.accept(DemoStep.accountIsRequired) }
    func aboutIsRequired() { steps.accept(DemoStep.aboutIsRequired) }
    func settingsAreComplete() { steps.accept(DemoStep.settingsAreComplete) }
}
