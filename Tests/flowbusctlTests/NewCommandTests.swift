import BusTestSupport
import Foundation
import Testing

@Suite("new")
struct NewCommandTests {
    private let folder = try? TemporaryDirectory()

    /// The files of each kind, beside those that all have.
    private static let files: [String: [String]] = [
        "--c": [".gitignore", "meson.build", "shop.c"],
        "--gjs": ["shop"],
        "--go": [".gitignore", "go.mod", "shop.go"],
        "--gtk-c": [".gitignore", "meson.build", "shop.c"],
        "--gtk-python": ["shop"],
        "--node": ["shop"],
        "--python": ["shop"],
        "--qml": ["Shop.qml", "shop"],
        "--run": ["shop"],
        "--rust": [".gitignore", "Cargo.toml", "src/main.rs"],
        "--swift": [".gitignore", "Package.swift", "Sources/shop/Shop.swift"],
        "--vala": [".gitignore", "meson.build", "shop.vala"],
    ]

    /// Runs flowbusctl in the folder of the test.
    private func run(_ arguments: String...) throws -> CommandRun {
        let program = try BusTestSupport.Service.program(named: "flowbusctl")
        let process = try ChildProcess(
            "/usr/bin/env", ["--chdir=" + (try #require(folder)).path, program, "new"] + arguments,
            environment: Program.environment)
        try process.waitForExit()
        return CommandRun(status: process.exit, output: process.output, errors: process.errors)
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: (try #require(folder)).path + "/" + file, encoding: .utf8)
    }

    private var contents: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: (try #require(folder)).path).sorted() }
    }

    @Test(arguments: files.keys.sorted())
    func `the files are written and listed`(kind: String) throws {
        let run = try run("shop", kind)
        #expect(run.status == .status(0) && run.errors.isEmpty, "\(run.errors)")
        let started = kind == "--run" ? [] : ["flows.d/programs.toml", "org.example.Shop.service"]
        let files = (try #require(Self.files[kind]) + started + ["README.md", "flows.d/shop.toml", "test"]).sorted()
        #expect(run.lines == files.map { "shop/" + $0 })
        #expect(try contents == ["shop"])
        for file in files {
            let text = try text("shop/" + file)
            #expect(!text.localizedCaseInsensitiveContains("hello") && text.hasSuffix("\n"), "\(file)")
            // None of the lines that choose among the kinds.
            #expect(!text.contains("\n# if ") && !text.contains("\n# end\n"), "\(file)")
            let path = (try #require(folder)).path + "/shop/" + file
            #expect(FileManager.default.isExecutableFile(atPath: path) == text.hasPrefix("#!"), "\(file)")
            // Something to begin with is read at once.
            #expect(file == "test" || text.split(separator: "\n").count <= 85, "\(file)")
        }
        let check = try Program.run("check", (try #require(folder)).path + "/shop/flows.d")
        // What is not built or installed yet is all that it warns of.
        let warnings = check.errors.split(separator: "\n")
        #expect(check.status == .status(0), "\(check.errors)")
        #expect(
            warnings.allSatisfy { $0.contains("there is no program '") || $0.hasSuffix("is not installed") },
            "\(check.errors)")
        let shell = try ChildProcess("bash", ["-n", (try #require(folder)).path + "/shop/test"])
        #expect(try shell.waitForExit() == .status(0))
    }

    @Test func `the definitions and the service file have the bus name`() throws {
        #expect(try run("carRadio", "--qml", "--bus-name", "com.car.Radio-1").status == .status(0))
        #expect(try text("carRadio/com.car.Radio-1.service").contains("Name=com.car.Radio-1\nExec=/usr/bin/carRadio\n"))
        #expect(try text("carRadio/flows.d/carRadio.toml").contains("presenter     = \"com.car.Radio-1\""))
        #expect(try text("carRadio/CarRadio.qml").contains("name: \"com.car.Radio-1\""))
        #expect(try run("shop", "--swift", "--json").output.hasPrefix("{\"path\":\"shop/.gitignore\"}\n"))
        #expect(try text("shop/Sources/shop/Shop.swift").contains("present(as: \"org.example.Shop\")"))
    }

    @Test(
        arguments: [
            (
                ["shop"], 64,
                "the kind of the program is missing: give one of --gtk-python, --gtk-c, --gjs, --vala, --qml"
            ),
            (["--qml"], 64, "Missing expected argument '<name>'"),
            (["shop", "--gtk-rust"], 64, "Unknown option '--gtk-rust'"),
            (["shop", "--qml", "--swift"], 64, "--swift"),
            (
                ["Shop", "--qml"], 65,
                "'Shop' can't be the name of a program: a lower-case letter, then letters and digits, at most 32"
            ),
            (["my-shop", "--qml"], 65, "'my-shop' can't be the name of a program"),
            (["../shop", "--qml"], 65, "'../shop' can't be the name of a program"),
            (["", "--qml"], 65, "'' can't be the name of a program"),
            (["größe", "--qml"], 65, "'größe' can't be the name of a program"),
            (["a23456789012345678901234567890123", "--qml"], 65, "can't be the name of a program"),
            (["root", "--qml"], 65, "'root' has a meaning of its own here"),
            (["match", "--rust"], 65, "'match' is a word of Rust or Cargo, and can't be the name of a package"),
            (
                ["shop", "--run", "--bus-name", "a.b"], 64,
                "--bus-name and --run are given; a command line has no bus name, as flowbus-run shows its screens"
            ),
            (["class", "--swift"], 65, "'class' is a word of Swift, and can't be the name of a module"),
            (["shop", "--qml", "--bus-name", "shop"], 65, "'shop' can't be a well-known bus name"),
            (["taken", "--qml"], 65, "there is a file or folder 'taken' already; give another name, or remove it"),
        ] as [([String], Int32, String)])
    func `what is wrong is an error, and nothing is written`(arguments: [String], status: Int32, text: String) throws {
        try (try #require(folder)).write("", to: "taken")
        let program = try BusTestSupport.Service.program(named: "flowbusctl")
        let process = try ChildProcess(
            "/usr/bin/env", ["--chdir=" + (try #require(folder)).path, program, "new"] + arguments,
            environment: Program.environment)
        #expect(try process.waitForExit() == .status(status))
        #expect(process.output.isEmpty && process.errors.contains(text), "\(process.errors)")
        #expect(try contents == ["taken"])
    }

    @Test func `a folder that can't be made leaves nothing behind`() throws {
        let program = try BusTestSupport.Service.program(named: "flowbusctl")
        let process = try ChildProcess("/usr/bin/env", ["--chdir=/proc", program, "new", "shop", "--qml"])
        #expect(try process.waitForExit() == .status(74))
        #expect(process.errors.hasPrefix("flowbusctl: can't make the folder 'shop': "), "\(process.errors)")
    }
}
