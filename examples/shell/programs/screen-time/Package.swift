// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "screen-time",
    dependencies: [
        // In a package of your own: .package(url: "…/flowbus.git", branch: "main")
        .package(name: "flowbus", path: "../../../..")
    ],
    targets: [
        .executableTarget(
            name: "screen-time",
            dependencies: [
                .product(name: "FlowBus", package: "flowbus"), .product(name: "FlowBusClient", package: "flowbus"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
