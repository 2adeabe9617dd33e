import RxFlow
import UIKit

class DashboardFlow: Flow {
    var root: Presentable { rootViewController }
    private let rootViewController = UITabBarController()
    private let services: AppServices

    init(withServices services: AppServices) { self.services = services }

    func navigate(to step: Step) -> FlowContributors {
        guard let step = step as? DemoStep else { return .none }
        switch step {
        case .dashboardIsRequired: return navigateToDashboard()
        default: return .none
        }
    }

    private func navigateToDashboard() -> FlowContributors {
        let wishlistStepper = WishlistStepper()
        let wishlistFlow = WishlistFlow(withServices: services, andStepper: wishlistStepper)
        let watchedFlow = WatchedFlow(withServices: services)

        Flows.use(wishlistFlow, watchedFlow, when: .ready) {
            [unowned self] (wishlistRoot: UINavigationController, watchedRoot: UINavigationController) in
            rootViewController.setViewControllers([wishlistRoot, watchedRoot], animated: false)
        }

        return .multiple(flowContributors: [
            .contribute(
                withNextPresentable: wishlistFlow,
                withNextStepper: CompositeStepper(steppers: [
                    OneStepper(withSingleStep: DemoStep.moviesAreRequired), wishlistStepper,
                ])),
            .contribute(
                withNextPresentable: watchedFlow,
                withNextStepper: OneStepper(withSingleStep: DemoStep.moviesAreRequired)),
        ])
    }
}
