import BusTestSupport

/// The service that tests start; FlowCore has one of that name, too, by which it knows other processes.
typealias Service = BusTestSupport.Service
