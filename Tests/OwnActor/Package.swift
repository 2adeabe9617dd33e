// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "own-actor",
    dependencies: [.package(name: "flowbus", path: "../..", traits: ["OwnActor"])],
    targets: [
        .executableTarget(
            name: "own-actor",
            dependencies: [
                .product(name: "FlowBus", package: "flowbus"), .product(name: "FlowBusClient", package: "flowbus"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
