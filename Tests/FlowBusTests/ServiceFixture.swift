import BusTestSupport
import FlowBus
import FlowBusClient

/// A bus with a service without definitions other than those that programs register.
@MainActor
final class ServiceFixture {
    let service: Service

    init() throws { service = try Service("") }

    func connect() throws -> NavigationBus { try NavigationBus(.address(service.bus.address)) }
}
