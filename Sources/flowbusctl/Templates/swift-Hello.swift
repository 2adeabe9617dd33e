import FlowBus
import FlowBusClient
import Foundation

/// Shows the screens of flows.d/hello.toml as text. Where a toolkit has windows, these lines are.
@main
enum Hello {
    static func main() async throws {
        let bus = try NavigationBus()
        // The bus starts the program, and flowbusd has it show what is in sight.
        let presenter = try await bus.present(as: "org.example.Hello") { request in
            switch request.name {
            case "helloList": List(bus)
            case "helloDetail": Detail(bus)
            default: throw UnknownScreen(name: request.name)
            }
        }
        for await failure in presenter.failures { say("failed: \(failure)") }
    }
}

/// A screen that the definitions have, and this program does not.
struct UnknownScreen: Error {
    let name: String
}

/// The list of items.
final class List: Screen {
    let presence = Presence()
    private let bus: NavigationBus
    private var path: NodePath?

    init(_ bus: NavigationBus) { self.bus = bus }

    func present(_ presentation: Presentation) {
        path = presentation.path
        title = "Items"
        say("Items 1, 2 and 3")
        show()
    }

    func withdraw() { say("The list is gone") }

    /// The user has picked an item. Where that leads, the definitions say.
    func pick(_ item: Int64) async throws {
        guard let path else { return }
        try await bus.emit("helloItemPicked", ["item": .int64(item)], on: path)
    }
}

/// An item.
final class Detail: Screen {
    let presence = Presence()
    private let bus: NavigationBus
    private var path: NodePath?

    init(_ bus: NavigationBus) { self.bus = bus }

    func present(_ presentation: Presentation) {
        guard case .int64(let item)? = presentation.arguments["item"] else { return }
        path = presentation.path
        title = "Item \(item)"
        say("Item \(item)")
        show()
    }

    func withdraw() { say("The item is gone") }

    /// The user goes back.
    func back() async throws {
        guard let path else { return }
        try await bus.back(on: path)
    }
}

/// Prints a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
