import FlowBus

final class Login: Page {
    let viewModel: LoginViewModel

    init(_ viewModel: LoginViewModel) {
        self.viewModel = viewModel
        super.init("Login")
        buttons = [Button("Log in") { viewModel.logIn() }]
    }
}

final class LoginViewModel: Stepper {
    let steps = PublishRelay<any Step>()
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func logIn() { steps.accept(DemoStep.userIsLoggedIn) }
}

final class ApiKey: Page {
    let viewModel: ApiKeyViewModel

    init(_ viewModel: ApiKeyViewModel) {
        self.viewModel = viewModel
        super.init("API key")
        buttons = [Button("OK") { viewModel.setApiKey() }]
    }
}

final class ApiKeyViewModel: Stepper {
    let steps = PublishRelay<any Step>()
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func setApiKey() {
        services.preferences.isOnboarded = true
        steps.accept(DemoStep.apiKeyIsFilledIn)
    }
}
