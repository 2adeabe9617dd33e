// swift-tools-version: 6.2
import PackageDescription

// Targets of libFuzzer. `reliability/fuzz/build` puts the sources beside it, and names libFuzzer's library in FUZZER.

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .swiftLanguageMode(.v6),
]
/// What is tried: with counters for libFuzzer, and with the assertions of debug builds. The targets see what is internal.
let tried = features + [.unsafeFlags(["-enable-testing", "-sanitize=fuzzer", "-assert-config", "Debug"])]
let others = features + [.unsafeFlags(["-enable-testing"])]

let package = Package(
    name: "fuzz",
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(name: "FlowCore", swiftSettings: tried),
        .target(name: "FlowFile", dependencies: ["FlowCore"], swiftSettings: tried),
        .target(name: "FlowTrace", dependencies: ["FlowCore"], swiftSettings: tried),
        .target(name: "FlowGraph", dependencies: ["FlowCore"], swiftSettings: tried),
        .target(name: "Store", dependencies: ["FlowCore", "CSQLite"], swiftSettings: tried),
        .target(name: "Input", swiftSettings: others),
        // Random worlds of FlowCoreTests and FlowModelTests, which the input decides.
        .target(name: "Processes", dependencies: ["FlowCore", "Input"], swiftSettings: others),
        .target(name: "Rules", dependencies: ["FlowCore", "Input"], swiftSettings: others),
        .executableTarget(
            name: "fuzz",
            dependencies: ["FlowCore", "FlowFile", "FlowGraph", "FlowTrace", "Store", "Input", "Processes", "Rules"],
            swiftSettings: others,
            linkerSettings: [.unsafeFlags([Context.environment["FUZZER"] ?? "", "-lstdc++", "-lm"])]),
    ]
)
