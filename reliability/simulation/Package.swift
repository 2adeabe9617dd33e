// swift-tools-version: 6.2
import PackageDescription

// flowbusd with a simulated libsystemd and disk. `reliability/simulation/build` puts the sources beside it.

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The generators of the tests see what is internal.
    .unsafeFlags(["-enable-testing"]),
]
let strict = [.swiftLanguageMode(.v6)] + features

let package = Package(
    name: "simulate",
    dependencies: [.package(url: "https://github.com/apple/swift-log", from: "1.10.0")],
    targets: [
        .target(name: "CSdBus"),
        .target(name: "CDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(name: "FlowCore", swiftSettings: strict),
        .target(name: "Platform", swiftSettings: strict),
        .target(name: "SdBus", dependencies: ["CSdBus", "Platform"], swiftSettings: strict),
        .target(name: "FlowWire", dependencies: ["FlowCore", "SdBus"], swiftSettings: strict),
        .target(name: "FlowFile", dependencies: ["FlowCore"], swiftSettings: strict),
        .target(name: "FlowTrace", dependencies: ["FlowCore"], swiftSettings: strict),
        .target(name: "Store", dependencies: ["FlowCore", "CSQLite"], swiftSettings: strict),
        .target(
            name: "flowbusd",
            dependencies: [
                "CSdBus", "Platform", "SdBus", "FlowCore", "FlowWire", "FlowFile", "FlowTrace", "Store",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // The generators and the model of the tests.
        .target(name: "Worlds", dependencies: ["FlowCore"], swiftSettings: strict),
        // The state of the simulation is global, as the hooks of C are.
        .executableTarget(
            name: "simulate",
            dependencies: [
                "CDisk", "CSdBus", "Platform", "SdBus", "FlowCore", "FlowWire", "FlowFile", "FlowTrace", "Store",
                "flowbusd", "Worlds",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)] + features,
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
    ]
)
