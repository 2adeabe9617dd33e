import BusTestSupport
import Foundation
import Testing

/// `make install` puts everything where a Debian system expects it, and `make uninstall` leaves nothing.
@Suite("Installed")
struct InstallTests {
    /// The files it installs for `PREFIX=/usr`, without documentation.
    private static let files = [
        "/usr/bin/flowbusctl",
        "/usr/bin/flowbusd",
        "/usr/include/flowbus-qt-types.h",
        "/usr/lib/systemd/user-generators/flowbus-generator",
        "/usr/lib/systemd/user/flowbusd.service",
        "/usr/share/bash-completion/completions/flowbusctl",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Coordinator.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Flow.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Guard.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.History.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Navigator.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Presentable.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Presenter.xml",
        "/usr/share/dbus-1/interfaces/org.flowbus.Navigation1.Stepper.xml",
        "/usr/share/dbus-1/services/org.flowbus.Navigation1.service",
        "/usr/share/dbus-1/system.d/org.flowbus.Navigation1.conf",
        "/usr/share/fish/vendor_completions.d/flowbusctl.fish",
        "/usr/share/flowbus/flowbus.act.schema.json",
        "/usr/share/flowbus/flowbus.flows.schema.json",
        "/usr/share/flowbus/flowbus.lines.schema.json",
        "/usr/share/man/man1/flowbusctl.1",
        "/usr/share/man/man5/flowbus.act.5",
        "/usr/share/man/man5/flowbus.flows.5",
        "/usr/share/man/man5/org.flowbus.Navigation1.5",
        "/usr/share/man/man8/flowbusd.8",
        "/usr/share/zsh/vendor-completions/_flowbusctl",
    ]

    @Test func `for Debian, and away again`() throws {
        let place = try TemporaryDirectory()
        try make("install", place)
        let installed = try files(in: place)
        let documentation = "/usr/share/doc/flowbus/"
        #expect(installed.filter { !$0.hasPrefix(documentation) } == Self.files)
        for file in ["copyright", "semantics.md", "examples/movies/flows.d/20-main.toml", "examples/processes/till.c"] {
            #expect(installed.contains(documentation + file), "\(file)")
        }
        #expect(
            try make("list", place).split(separator: "\n").map { $0.dropFirst(place.path.count) }.sorted()
                == installed.map { Substring($0) })

        try checkPrograms(place)
        try checkPages(place, installed.filter { $0.hasPrefix("/usr/share/man/") })
        try checkCompletions(place)

        try make("uninstall", place)
        #expect(try files(in: place) == [])
        for folder in ["doc/flowbus", "flowbus"] {
            #expect(!FileManager.default.fileExists(atPath: place.path + "/usr/share/" + folder))
        }
        #expect(FileManager.default.fileExists(atPath: place.path + "/usr/share/doc"))
    }

    @Test func `manually: below /usr/local, with the policy where the bus reads it`() throws {
        let listed = try make("list", nil, "PREFIX=/usr/local").split(separator: "\n").map(String.init)
        #expect(listed.contains("/etc/dbus-1/system.d/org.flowbus.Navigation1.conf"))
        #expect(listed.contains("/usr/local/share/zsh/site-functions/_flowbusctl"))
        #expect(listed.filter { !$0.hasPrefix("/usr/local/") }.count == 1)
    }

    @Test(arguments: ["build", "install"])
    func `a dry run ends before anything is built`(target: String) throws {
        let place = try TemporaryDirectory()
        let commands = try make(target, place, "--dry-run", "built=\(place.path)/release")
        #expect(commands.contains("--product flowbusd ") && commands.contains("--generate-completion-script"))
        #expect(try files(in: place) == [])
    }

    /// Builders of Debian packages have no network: `make vendor` has to bring all that the programs need.
    @Test func `nothing is fetched where the packages are in a folder`() throws {
        let place = try TemporaryDirectory()
        try place.write(Service.file("Package.swift"), to: "Package.swift")
        for (package, product) in [("swift-argument-parser", "ArgumentParser"), ("swift-log", "Logging")] {
            try place.write(
                """
                // swift-tools-version: 6.2
                import PackageDescription
                let package = Package(
                    name: "\(package)", products: [.library(name: "\(product)", targets: ["\(product)"])],
                    targets: [.target(name: "\(product)")])
                """, to: "vendor/\(package)/Package.swift")
        }
        let resolve = try ChildProcess(
            "swift", ["package", "--package-path", place.path, "resolve", "--traits", "Programs"],
            environment: ["FLOWBUS_VENDOR": "vendor", "GIT_ALLOW_PROTOCOL": "none"])
        #expect(try resolve.waitForExit(within: .seconds(120)) == .status(0), "\(resolve.errors)")
    }

    @Test func `the package has the version of the program`() throws {
        let changelog = try Service.file("debian/changelog")
        let version = try #require(changelog.firstMatch(of: #/^flowbus \(([^)]+)\)/#)).output.1
        let program = try Service.start(["--version"])
        #expect(try program.waitForExit() == .status(0))
        #expect(program.output == "\(version)\n")
        for page in [
            "flowbusd.8", "flowbusctl.1", "flowbus.act.5", "flowbus.flows.5", "org.flowbus.Navigation1.5",
        ] {
            #expect(try Service.file("man/" + page).contains("\n.Os flowbus \(version)\n"), "\(page)")
        }
    }

    /// The installed program is the one that is started.
    private func checkPrograms(_ place: TemporaryDirectory) throws {
        func file(_ path: String) throws -> [Substring] {
            try String(contentsOfFile: place.path + path, encoding: .utf8).split(separator: "\n")
        }
        let activation = try file("/usr/share/dbus-1/services/org.flowbus.Navigation1.service")
        #expect(activation.contains("Exec=/usr/bin/flowbusd"))
        let unit = try #require(activation.first { $0.hasPrefix("SystemdService=") }).dropFirst("SystemdService=".count)
        #expect(try file("/usr/lib/systemd/user/" + unit).contains("ExecStart=/usr/bin/flowbusd"))
        for path in ["/usr/lib/systemd/user/" + unit, "/usr/share/dbus-1/services/org.flowbus.Navigation1.service"] {
            #expect(try !file(path).contains { $0.contains("@bindir@") }, "\(path)")
        }
        for program in ["flowbusd", "flowbusctl"] {
            let run = try ChildProcess(place.path + "/usr/bin/" + program, ["--version"], environment: [:])
            #expect(try run.waitForExit() == .status(0), "\(run.errors)")
        }
    }

    private func checkPages(_ place: TemporaryDirectory, _ pages: [String]) throws {
        #expect(pages.count == 5)
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/man") else { return }
        for page in pages {
            let man = try ChildProcess(
                "man", ["--warnings", "--local-file", place.path + page],
                environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MAN_KEEP_STDERR": "1"])
            #expect(try man.waitForExit() == .status(0))
            #expect(man.errors == "", "\(page)")
            #expect(man.output.contains("DESCRIPTION"), "\(page)")
        }
    }

    /// A shell that is not there is no reason to fail; CI has all three.
    private func checkCompletions(_ place: TemporaryDirectory) throws {
        for (shell, file) in [
            ("bash", "bash-completion/completions/flowbusctl"), ("zsh", "zsh/vendor-completions/_flowbusctl"),
            ("fish", "fish/vendor_completions.d/flowbusctl.fish"),
        ] {
            let path = place.path + "/usr/share/" + file
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.contains("flowbusctl") && !text.hasPrefix("#!"), "\(shell)")
            guard FileManager.default.isExecutableFile(atPath: "/usr/bin/" + shell) else { continue }
            let check = try ChildProcess(shell, ["-n", path])
            #expect(try check.waitForExit() == .status(0), "\(shell): \(check.errors)")
        }
        // That it is the command's own is what zsh looks at.
        let zsh = try String(
            contentsOfFile: place.path + "/usr/share/zsh/vendor-completions/_flowbusctl", encoding: .utf8)
        #expect(zsh.hasPrefix("#compdef flowbusctl\n"))
    }

    /// Everything that is no folder, sorted.
    private func files(in place: TemporaryDirectory) throws -> [String] {
        let all = try #require(FileManager.default.enumerator(atPath: place.path))
        return all.compactMap { $0 as? String }.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: place.path + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.map { "/" + $0 }.sorted()
    }

    /// Runs it with the programs that were built beside the tests.
    @discardableResult
    private func make(_ target: String, _ place: TemporaryDirectory?, _ more: String...) throws -> String {
        let programs = try (Service.program as NSString).deletingLastPathComponent
        let make = try ChildProcess(
            "make",
            ["--silent", "-C", Service.repository, target, "PREFIX=/usr", "built=\(programs)"]
                + (place.map { ["DESTDIR=" + $0.path] } ?? []) + more)
        guard try make.waitForExit(within: .seconds(60)) == .status(0) else {
            throw TestFailure("make \(target): \(make.output)\(make.errors)")
        }
        return make.output
    }
}
