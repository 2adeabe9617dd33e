import BusTestSupport
import FlowBus

/// A bus with a service that knows no flows but those which programs register.
@MainActor
final class Ground {
    let service: Service

    init() throws { service = try Service("") }

    func connect() throws -> NavigationBus { try NavigationBus(.address(service.bus.address)) }
}
