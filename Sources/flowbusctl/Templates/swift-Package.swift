// swift-tools-version: 6.2
import PackageDescription

// Where the package flowbus is.
let flowbus = Context.environment["FLOWBUS_PACKAGE"] ?? "../flowbus"

let package = Package(
    name: "hello",
    dependencies: [.package(name: "flowbus", path: flowbus)],
    targets: [
        .executableTarget(
            name: "hello",
            dependencies: [
                .product(name: "FlowBus", package: "flowbus"), .product(name: "FlowBusClient", package: "flowbus"),
            ])
    ]
)
