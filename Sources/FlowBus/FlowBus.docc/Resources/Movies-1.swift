import RxFlow
import RxSwift
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let disposeBag = DisposeBag()
    let coordinator = FlowCoordinator()
    let services = AppServices()
    var window: UIWindow?

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        coordinator.rx.didNavigate
            .subscribe(onNext: { flow, step in print("did navigate flow=\(flow) step=\(step)") })
            .disposed(by: disposeBag)

        let appFlow = AppFlow(withServices: services)
        Flows.use(appFlow, when: .created) { [unowned self] root in window?.rootViewController = root }
        coordinator.coordinate(flow: appFlow, with: AppStepper(withServices: services))
        return true
    }
}
