import BusTestSupport
import Foundation
import Testing

/// flowbusd is killed (SIGKILL) repeatedly while clients navigate.
///
/// `make test KILLS=500 TEST_OPTIONS='--filter KillTests'` kills it 500 times in each test; with `FLOWBUS_SEED` the clients
/// choose as in the test that printed it. The moments of the kills are not repeatable.
@Suite("Killed at random moments", .serialized)
struct KillTests {
    private static var kills: Int {
        ProcessInfo.processInfo.environment["FLOWBUS_KILLS"].flatMap(Int.init) ?? 20
    }

    @Test func `D-1 D-3 D-4 restarted by a supervisor: no answered change is lost, no step is taken twice`()
        throws
    {
        let summary = try KillRun(SupervisedDaemon(), seed: SeededGenerator.given).play(Self.kills)
        print("Killed, started again by a supervisor:", summary)
    }

    @Test func `D-1 D-3 D-4 restarted by the bus: no answered change is lost, no step is taken twice`()
        throws
    {
        let summary = try KillRun(ActivatedDaemon(), seed: SeededGenerator.given).play(Self.kills)
        print("Killed, started again by the bus:", summary)
    }
}
