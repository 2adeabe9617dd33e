import RxFlow
import RxSwift
import UIKit

class WishlistFlow: Flow {
    var root: Presentable { rootViewController }
    private let rootViewController = UINavigationController()
    private let services: AppServices
    private let wishlistStepper: WishlistStepper

    init(withServices services: AppServices, andStepper stepper: WishlistStepper) {
        self.services = services
        wishlistStepper = stepper
    }

    func adapt(step: Step) -> Single<Step> {
        switch step {
        case DemoStep.castIsPicked(let castId):
            let name = services.movies.cast(withId: castId).name
            return services.account.isMember
                .map { $0 ? step : DemoStep.membershipIsRequired(for: name) }
        default: return .just(step)
        }
    }
}
