// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "movies",
    dependencies: [
        // In a package of your own: .package(url: "…/flowbus.git", branch: "main", traits: ["Macros"])
        .package(name: "flowbus", path: "../..", traits: ["Macros"])
    ],
    targets: [
        .executableTarget(
            name: "movies",
            dependencies: [
                .product(name: "FlowBus", package: "flowbus"), .product(name: "FlowBusClient", package: "flowbus"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
