import BusTestSupport
import Foundation
import Testing

/// The movie example: separate processes that navigate together.
@Suite("Demo")
struct DemoTests {
    private func play(_ arguments: String..., in folder: TemporaryDirectory) throws -> ChildProcess {
        try ChildProcess(
            Service.repository + "/examples/movies/demo", arguments,
            environment: ["FLOWBUSD": Service.program, "TMPDIR": folder.path])
    }

    @Test func `the demo prints exactly this log, and leaves nothing behind`() throws {
        let folder = try TemporaryDirectory()
        let demo = try play("--log-only", in: folder)
        #expect(try demo.waitForExit() == .status(0), "\(demo.errors)")
        let log = """
            did navigate flow=main step=apiKey
            did navigate flow=main step=apiKeyIsComplete
            did navigate flow=wishlist step=movieList
            did navigate flow=watched step=movieList
            did navigate flow=wishlist step=moviePicked(23452)
            did navigate flow=wishlist step=castPicked(2)
            did navigate flow=watched step=moviePicked(55423)
            did navigate flow=watched step=castPicked(5)
            did navigate flow=wishlist step=settings
            did navigate flow=settings step=settings
            did navigate flow=settings step=apiKey
            did navigate flow=settings step=about
            did navigate flow=settings step=apiKey
            did navigate flow=settings step=settingsDone

            """
        #expect(demo.output == log)
        #expect(try Service.file("examples/movies/expected.log") == log)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        #expect(try processes(in: folder) == [])
    }

    @Test func `it ends by showing the tree, an ignored and a refused step, and how to go on`() throws {
        let folder = try TemporaryDirectory()
        let demo = try play(in: folder)
        #expect(try demo.waitForExit() == .status(0), "\(demo.errors)")
        #expect(demo.output.contains("/org/flowbus/Navigation1/tree/main/watched\n"))
        #expect(demo.output.contains("ts 0 \"hidden\""))
        #expect((demo.output + demo.errors).contains("did you mean 'moviePicked'?"))
        #expect(demo.output.contains("busctl --user introspect"))
    }

    /// The processes that still have this folder in their environment.
    private func processes(in folder: TemporaryDirectory) throws -> [String] {
        let own = "\(ProcessInfo.processInfo.processIdentifier)"
        return try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
            // A process can end during the check.
            guard Int(entry) != nil, entry != own,
                let environment = FileManager.default.contents(atPath: "/proc/\(entry)/environ")
            else { return false }
            return String(decoding: environment, as: UTF8.self).contains(folder.path)
        }
    }
}
