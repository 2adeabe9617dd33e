import BusTestSupport
import Testing

/// Code generators take the documented XML, and what they generate compiles.
@Suite("Bindings", .enabled(if: Bindings.obstacle == nil, Comment(rawValue: Bindings.obstacle ?? "")))
struct BindingsTests {
    @Test func `qdbusxml2cpp and gdbus-codegen generate code that compiles`() throws {
        let bindings = try Bindings.run()
        // Some seconds of compilers, on a machine that other tests keep busy.
        #expect(try bindings.waitForExit(within: .seconds(300)) == .status(0), "\(bindings.errors)")
    }
}

private enum Bindings {
    /// The reason why generated code can't be compiled here; nil if it can.
    static let obstacle: String? = {
        guard let bindings = try? run("--obstacle"), (try? bindings.waitForExit()) == .status(0) else {
            return "tools/bindings does not run"
        }
        return bindings.output.isEmpty ? nil : bindings.output
    }()

    static func run(_ options: String...) throws -> ChildProcess {
        try ChildProcess(Service.repository + "/tools/bindings", options)
    }
}
