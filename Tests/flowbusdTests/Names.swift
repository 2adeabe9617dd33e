import BusTestSupport

/// The service that tests start; FlowCore has a type of the same name for other processes.
typealias Service = BusTestSupport.Service
