import FlowBus

final class SettingsList: Page {
    init(_ stepper: SettingsStepper) {
        super.init("Settings")
        buttons = [
            Button("Account") { stepper.accountIsRequired() },
            Button("About") { stepper.aboutIsRequired() },
            Button("Done") { stepper.settingsAreComplete() },
        ]
    }
}

final class Account: Page {
    let viewModel: AccountViewModel

    init(_ viewModel: AccountViewModel) {
        self.viewModel = viewModel
        super.init("Account")
        buttons = [Button("Become a member") { viewModel.join() }]
    }
}

final class AccountViewModel: Stepper {
    let steps = PublishRelay<any Step>()
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func join() {
        Task {
            await services.account.join()
            steps.accept(DemoStep.userIsMember)
        }
    }
}

final class About: Page {
    init() {
        super.init("About")
        text = "Movies, on FlowBus."
    }
}

/// Shows a message until it is closed.
final class Alert: Page {
    init(saying message: String) {
        super.init("Alert")
        text = message
    }
}
