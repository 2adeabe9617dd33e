import BusTestSupport
import Foundation
import Testing

/// flowbusd is killed (SIGKILL) again and again while clients navigate.
///
/// `FLOWBUS_KILLS=500 swift test --filter KillTests` kills it 500 times in each test; `FLOWBUS_SEED` has the clients choose
/// as in the test that printed it. At which moment it is hit no seed says.
@Suite("Killed at random moments", .serialized)
struct KillTests {
    private static var kills: Int {
        ProcessInfo.processInfo.environment["FLOWBUS_KILLS"].flatMap(Int.init) ?? 20
    }

    @Test func `D-1 D-3 D-4 a supervisor starts it again: nothing that was answered is lost, nothing taken twice`()
        throws
    {
        let told = try KillRun(SupervisedDaemon(), seed: Seeded.given).play(Self.kills)
        print("Killed, started again by a supervisor:", told)
    }

    @Test func `D-1 D-3 D-4 the bus starts it again: nothing that was answered is lost, nothing taken twice`()
        throws
    {
        let told = try KillRun(ActivatedDaemon(), seed: Seeded.given).play(Self.kills)
        print("Killed, started again by the bus:", told)
    }
}
