// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Warnings are errors for those who develop flowbus, who set FLOWBUS_STRICT, as `.ci/run` does. Whoever builds it has perhaps a
/// newer compiler or C library, which warns of what this one does not.
let warnings: [SwiftSetting] = Context.environment["FLOWBUS_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let strict: [SwiftSetting] =
    warnings + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// `make test` sets FLOWBUS_PROOF: a hundred thousand random sequences take four times as long in a core that is not
/// optimized. Only with that variable, because a package with these flags can't be a dependency.
let core: [SwiftSetting] = strict + (Context.environment["FLOWBUS_PROOF"] == nil ? [] : [.unsafeFlags(["-O"])])

/// The packages of the programs. `make` sets FLOWBUS_VENDOR where `make vendor` has put them into a folder; then nothing is fetched.
let packages: [Package.Dependency] =
    if let folder = Context.environment["FLOWBUS_VENDOR"] {
        [.package(path: "\(folder)/swift-argument-parser"), .package(path: "\(folder)/swift-log")]
    } else {
        [
            .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
            .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
        ]
    }

let package = Package(
    name: "flowbus",
    products: [
        .executable(name: "flowbusd", targets: ["flowbusd"]),
        .executable(name: "flowbusctl", targets: ["flowbusctl"]),
        .library(name: "FlowBus", targets: ["FlowBus"]),
        .library(name: "FlowBusClient", targets: ["FlowBusClient"]),
        .library(name: "FlowBusTesting", targets: ["FlowBusTesting"]),
    ],
    // A package that depends on this one for the library fetches only what the traits that it names need.
    traits: [
        .trait(
            name: "Macros",
            description: "The macros @Step and @AnswerValues, for steps and answers that go over the bus"),
        .trait(
            name: "OwnActor",
            description: "Flows on an actor of their own instead of the main actor, for programs without windows"),
        .trait(name: "Programs", description: "flowbusd and flowbusctl"),
    ],
    dependencies: packages + [
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0")
    ],
    targets: [
        // libsystemd as a C module: sd-bus, sd-event, sd-daemon and sd-journal.
        .systemLibrary(name: "CSdBus", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        // SQLite as a C module.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // The navigation state machine: values in, values out, the standard library only.
        .target(name: "FlowCore", swiftSettings: core),
        // Clocks, files, terminals and processes: thin wrappers of the C library.
        .target(name: "Platform", swiftSettings: strict),
        // Owning wrappers of libsystemd.
        .target(name: "SdBus", dependencies: ["CSdBus", "Platform"], swiftSettings: strict),
        // The wire: values in messages, and every name of the bus contract.
        .target(name: "FlowWire", dependencies: ["FlowCore", "SdBus"], swiftSettings: strict),
        // Definition files: find, parse and check them.
        .target(name: "FlowFile", dependencies: ["FlowCore"], swiftSettings: strict),
        // Traces: the events and effects of the machine as text, to record and to replay.
        .target(name: "FlowTrace", dependencies: ["FlowCore"], swiftSettings: strict),
        // Pictures of definitions: Graphviz and Mermaid.
        .target(name: "FlowGraph", dependencies: ["FlowCore"], swiftSettings: strict),
        // Files of records and of the history; the only place that calls SQLite.
        .target(name: "Store", dependencies: ["FlowCore", "CSQLite"], swiftSettings: strict),
        // The macros of the library. Without the trait it is empty, and no part of anything.
        .macro(
            name: "FlowBusMacros",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftDiagnostics", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftParser", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntax", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: .when(traits: ["Macros"])),
            ],
            swiftSettings: strict),
        // RxFlow for Swift: flows as classes, in one process. It needs nothing but the standard library.
        .target(
            name: "FlowBus",
            dependencies: ["FlowCore", .target(name: "FlowBusMacros", condition: .when(traits: ["Macros"]))],
            swiftSettings: strict),
        // The same flows on the bus; and a client of the service.
        .target(
            name: "FlowBusClient", dependencies: ["FlowBus", "FlowCore", "FlowWire", "Platform", "SdBus"],
            swiftSettings: strict),
        // For tests of flows.
        .target(name: "FlowBusTesting", dependencies: ["FlowBus"], swiftSettings: strict),
        // The service: decodes calls to events, runs effects. One thread, one sd-event loop.
        .executableTarget(
            name: "flowbusd",
            dependencies: [
                "Platform", "SdBus", "FlowCore", "FlowWire", "FlowFile", "FlowTrace", "Store",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Programs"])),
            ],
            swiftSettings: strict),
        // The command line: a client of the service, on the bus alone.
        .executableTarget(
            name: "flowbusctl",
            dependencies: [
                "Platform", "SdBus", "FlowCore", "FlowWire", "FlowFile", "FlowGraph", "FlowTrace",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Programs"])),
            ],
            // The files of `flowbusctl new`. In the program itself, so that this works wherever that is.
            resources: [.embedInCode("Templates")],
            swiftSettings: strict),
        // Writes the parts of man pages and documents that come from dbus/*.xml, from the tables of the code and from the help
        // texts of the programs; `make docs`.
        .executableTarget(name: "flowbus-manual", dependencies: ["FlowCore"], swiftSettings: strict),
        // The state machine alone, for `make bench`.
        .executableTarget(
            name: "core-bench", dependencies: ["FlowCore", "FlowFile"], path: "bench/core", swiftSettings: strict),
        // The library in one process, for `make bench`.
        .executableTarget(
            name: "library-bench", dependencies: ["FlowBus", "Platform"], path: "bench/library", swiftSettings: strict),
        // The navigator of examples/processes; no product: its tour takes it from beside flowbusd.
        .executableTarget(
            name: "example-settings", dependencies: ["SdBus"], path: "examples/processes/settings",
            swiftSettings: strict),
        .testTarget(name: "FlowCoreTests", dependencies: ["FlowCore"], swiftSettings: strict),
        // A second machine, written from the rules, which has to agree with the first one on random input.
        .testTarget(name: "FlowModelTests", dependencies: ["FlowCore", "FlowFile"], swiftSettings: core),
        // Private buses, child processes and clients for tests.
        .target(
            name: "BusTestSupport", dependencies: ["CSdBus", "SdBus"], path: "Tests/BusTestSupport",
            swiftSettings: strict),
        // A process that tests start and kill: a presenter, a guard, a navigator, an emitter.
        .executableTarget(
            name: "test-peer", dependencies: ["BusTestSupport"], path: "Tests/TestPeer", swiftSettings: strict),
        // An asker and a picker for tests that kill them at each system call: in C, as it starts with few calls.
        .executableTarget(name: "ask-peer", dependencies: ["CSdBus"], path: "Tests/AskPeer"),
        // A dbus-broker for tests, without systemd: its controller.
        .executableTarget(
            name: "test-bus", dependencies: ["CSdBus", "Platform", "SdBus"], path: "Tests/TestBus",
            swiftSettings: strict),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: strict),
        .testTarget(
            name: "SdBusTests", dependencies: ["CSdBus", "Platform", "SdBus", "BusTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "FlowWireTests", dependencies: ["FlowWire", "FlowCore", "SdBus", "CSdBus", "BusTestSupport"],
            swiftSettings: strict),
        // Starts the service itself, each time on a bus of its own.
        .testTarget(
            name: "flowbusdTests",
            dependencies: [
                "BusTestSupport", "SdBus", "FlowCore", "FlowWire", "FlowFile", "Store", "flowbusd", "flowbus-manual",
                "test-peer",
                "test-bus", "ask-peer",
            ],
            swiftSettings: strict),
        // Runs the command line itself, on terminals and without one.
        .testTarget(
            name: "flowbusctlTests", dependencies: ["BusTestSupport", "FlowCore", "flowbusctl", "flowbusd"],
            swiftSettings: strict),
        // A process that writes files of records until a test kills it, fills its disk or takes its rights.
        .executableTarget(
            name: "store-peer", dependencies: ["Store", "FlowCore"], path: "Tests/StorePeer", swiftSettings: strict),
        .testTarget(
            name: "StoreTests", dependencies: ["Store", "FlowCore", "CSQLite", "BusTestSupport", "store-peer"],
            swiftSettings: strict),
        // The library against the service, each time on a bus of its own.
        .testTarget(
            name: "FlowBusTests",
            dependencies: [
                "FlowBus", "FlowBusClient", "FlowBusTesting", "FlowCore", "FlowWire", "SdBus", "BusTestSupport",
                "flowbusd",
                "embedded-loop",
            ],
            swiftSettings: strict),
        // A program whose main loop is a bare poll(2).
        .executableTarget(
            name: "embedded-loop", dependencies: ["FlowBus", "FlowBusClient"], path: "Tests/EmbeddedLoop",
            swiftSettings: strict),
        .testTarget(
            name: "FlowFileTests", dependencies: ["FlowFile", "FlowCore", "BusTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "FlowGraphTests", dependencies: ["FlowGraph", "FlowFile", "FlowCore"], swiftSettings: strict),
        .testTarget(
            name: "FlowTraceTests", dependencies: ["FlowTrace", "FlowCore", "FlowFile"], exclude: ["Tours"],
            swiftSettings: strict),
    ]
)
