import BusTestSupport
import Testing

@Suite("outputs")
struct OutputsCommandTests {
    private static let definitions = """
        [outputs]
        setter = "com.example.Stacker"
        [[autostart]]
        flow = "desk"
        per = "output"
        output = "DP-*"
        [flows.desk]
        """

    @Test func `S-53 outputs are shown and set, and roots start on them`() throws {
        let service = try Service(Self.definitions)
        let stacker = "com.example.Stacker"
        #expect(try service.ctl("outputs").output == "")
        #expect(try service.ctl("outputs", "DP-1", "HDMI-A-1", "--as", stacker).status == .status(0))
        #expect(try service.ctl("outputs").output == "DP-1\nHDMI-A-1\n")
        #expect(try service.ctl("outputs", "--json").output == "[\"DP-1\",\"HDMI-A-1\"]\n")
        #expect(try service.property("Output", of: "/desk_DP_1", "Flow") == "DP-1")
    }

    @Test(arguments: [
        (["DP-1"], 2, "which ':1."), (["DP-1"], 2, "is not; '--as com.example.Stacker' owns that name for the call"),
        (["a b", "--as", "com.example.Stacker"], 2, "'a b'"),
        (["DP-1", "DP-1", "--as", "com.example.Stacker"], 2, "given twice"),
    ])
    func `S-53 what can't be set is refused`(words: [String], status: Int32, text: String) throws {
        let service = try Service(Self.definitions)
        let run = try Program.run(["--address", service.bus.address, "outputs"] + words)
        #expect(run.status == .status(status) && run.errors.contains(text), "\(run)")
        #expect(try service.ctl("outputs").output == "")
    }
}
