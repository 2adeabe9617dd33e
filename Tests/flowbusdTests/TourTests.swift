import BusTestSupport
import Foundation
import Testing

/// The examples: complete applications as definitions, each with a tour.
@Suite("Tours")
struct TourTests {
    static let examples = ["tabs", "ten-screens", "movies-2", "kiosk", "car", "phone", "processes", "restart"]

    @Test(arguments: examples)
    func `the tour prints exactly its log, and leaves nothing behind`(_ example: String) throws {
        let folder = try TemporaryDirectory()
        let tour = try ChildProcess(
            Service.repository + "/examples/\(example)/tour",
            environment: ["FLOWBUSD": Service.program, "TMPDIR": folder.path])
        #expect(try tour.waitForExit(within: failureBound * 3) == .status(0), "\(tour.errors)")
        #expect(tour.errors == "")
        #expect(tour.output == (try Service.file("examples/\(example)/expected.log")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: examples)
    func `the definitions have neither errors nor warnings`(_ example: String) throws {
        // The bus of the tour can start the application of an example.
        let data = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: data.path + "/dbus-1/services", withIntermediateDirectories: true)
        try data.write("[D-BUS Service]\nName=org.example.Map\n", to: "dbus-1/services/org.example.Map.service")
        let check = try Service.start(
            ["--check", "--flows", Service.repository + "/examples/\(example)/flows.d"],
            environment: ["XDG_DATA_DIRS": data.path])
        #expect(try check.waitForExit() == .status(0))
        #expect(check.errors == "")
    }

    @Test func `each example is here`() throws {
        let all = try FileManager.default.contentsOfDirectory(atPath: Service.repository + "/examples")
        let withTour = all.filter {
            FileManager.default.fileExists(atPath: Service.repository + "/examples/\($0)/tour")
        }
        // That one is a package of its own, which `make test-swift-app` builds and plays.
        #expect(withTour.sorted() == (Self.examples + ["swift-app"]).sorted())
    }
}
