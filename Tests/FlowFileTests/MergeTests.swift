import FlowCore
import Glibc
import Testing

@testable import FlowFile

@Suite("Files merge and mask")
struct MergeTests {
    private static let steps = "version = 1\n[steps]\na = {}\nb = {}\nc = { n = \"int64\" }\n[screens]\ns = {}\n"

    @Test func `a flow's keys and rules, each in a file of its own`() throws {
        let merged = try definitions(
            "[steps]\na = {}\nb = {}\n[private]\nsteps = ['a']\n[flows.f]\nidle = { after = '1s', step = 'a' }",
            "[flows.f]\nonBack = 'b'\nannounce = true\nrestore = false\n[flows.f.on]\na = { pop = 'root' }",
            "[private]\nsteps = ['b', 'a']\n[flows.f]\nemitters = ['a.b']\nunique = true\n[flows.f.on]\nb = { end = true }",
            "[flows.f]\narguments = { x = 'string?' }\n[[autostart]]\nflow = 'f'\nid = 'one'")
        let flow = merged.flows[0]
        #expect(flow.idle == [TimedStep(after: 1_000_000, step: StepID(0))])
        #expect(flow.onBack == StepID(1) && flow.emitters == ["a.b"] && flow.announces && flow.isUnique)
        #expect(!flow.isRestored)
        #expect(flow.parameters == [Parameter("x", try #require(ValueType(name: "string")), isOptional: true)])
        #expect(flow.rules.map(\.step) == [StepID(0), StepID(1)])
        #expect(merged.steps.map(\.isPrivate) == [true, true])
        #expect(merged.autostart.map(\.id) == ["one"])
    }

    @Test func `a key of a flow in two files`() {
        let one =
            "[steps]\na = {}\n[flows.f]\nidle = { after = '1s', step = 'a' }\nonBack = 'a'\nemitters = ['a.b']"
            + "\nrestore = false"
        let two = "[flows.f]\nidle = { after = '2s', step = 'a' }\nonBack = 'a'\nemitters = ['a.b']\nrestore = false"
        #expect(
            errors(one, two) == [
                "b.toml:3: error: [flows.f.idle] the key 'idle' of flow 'f' is given twice: here and in a.toml:5",
                "b.toml:4: error: [flows.f.onBack] the key 'onBack' of flow 'f' is given twice: here and in a.toml:6",
                "b.toml:5: error: [flows.f.emitters] the key 'emitters' of flow 'f' is given twice: here and in a.toml:7",
                "b.toml:6: error: [flows.f.restore] the key 'restore' of flow 'f' is given twice: here and in a.toml:8",
            ])
    }

    @Test func `a name can refer to another file's declaration`() throws {
        let flow = try definitions(
            "[flows.f.on]\na = { screen = 's', when = { alive = 'g' }, onDismissed = { step = 'b' } }",
            "[flows.g.on]\nb = { none = true }", "[steps]\na = {}\nb = {}\n[screens]\ns = {}"
        ).flows[0]
        #expect(flow.rules[0].alternatives[0].when == [.alive("g")])
    }

    @Test func `names are not reported as undeclared while a file can't be read`() {
        let text = """
            version = 1
            [flows.f]
            onBack = "b"
            idle = { after = "1s", step = "b" }
            [flows.f.on]
            b = [{ pop = "s" }, { screen = "s", onDismissed = { step = "b", arguments = { x = "$y", z = "$name" } } }]
            c = { none = true, when = { alive = "g" } }
            """
        let failure = #expect(throws: DefinitionFailure.self) {
            try DefinitionFiles.check([
                ("a", .success(text)), ("b", .failure(FileReader.Failure(message: "can't be read"))),
            ])
        }
        #expect(failure?.diagnostics.map(\.description) == ["b: error: can't be read"])
    }

    @Test func `a file hides those of its name, and a link to the null device masks them`() throws {
        let folder = try Folder()
        let folders = DefinitionFolders(named: ["user", "admin", "vendor"].map { folder.path + "/" + $0 })
        try folder.write("vendor/10-steps.toml", Self.steps)
        try folder.write("vendor/20-f.toml", "version = 1\n[flows.f.on]\na = { screen = \"s\" }\n")
        try folder.write("vendor/30-f.toml", "version = 1\n[flows.f.on]\nb = { pop = \"root\" }\n")
        try folder.write("vendor/40-f.toml", "version = 1\n[flows.f.on]\nc = { end = true }\n")
        try folder.write("vendor/50-broken.toml", "version = 1\n[")
        try folder.write("user/05-start.toml", "version = 1\n[[autostart]]\nflow = \"f\"\n")
        try folder.write("admin/20-f.toml", "version = 1\n[flows.f.on]\na = { none = true }\n")
        symlink("/dev/null", folder.path + "/admin/50-broken.toml")
        symlink("/dev/null", folder.path + "/user/30-f.toml")

        let loaded = try DefinitionFiles.load(from: folders)
        #expect(
            loaded.files.map { $0.replacing(folder.path + "/", with: "") } == [
                "user/05-start.toml", "vendor/10-steps.toml", "admin/20-f.toml", "vendor/40-f.toml",
            ])
        #expect(
            loaded.definitions.flows[0].rules == [
                Rule(StepID(0), [Alternative(contributors: [])]), Rule(StepID(2), [.end(nil)]),
            ])
        #expect(
            loaded.warnings.map { $0.description.replacing(folder.path + "/", with: "") } == [
                "vendor/10-steps.toml:4: warning: [steps.b] no flow has a rule for the step 'b'"
            ])
    }

    @Test func `the same rule in files of different names is reported`() throws {
        let folder = try Folder()
        try folder.write("vendor/10.toml", Self.steps + "[flows.f.on]\na = { none = true }\n")
        try folder.write("admin/20.toml", "version = 1\n[flows.f.on]\na = { end = true }\n")
        let failure = #expect(throws: DefinitionFailure.self) {
            try DefinitionFiles.load(
                from: DefinitionFolders(named: ["admin", "vendor"].map { folder.path + "/" + $0 }))
        }
        #expect(
            failure?.diagnostics.map { $0.description.replacing(folder.path + "/", with: "") } == [
                "admin/20.toml:3: error: [flows.f.on.a] flow 'f' has two rules for the step 'a': here and in "
                    + "vendor/10.toml:9"
            ])
    }
}
