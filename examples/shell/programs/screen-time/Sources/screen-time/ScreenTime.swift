import FlowBus
import FlowBusClient
import Foundation

/// `screen-time MINUTES` says in the status bar when films or music have been in front for so long, and after each further time.
///
/// It has no window. It follows the tree, so the programs that it watches know nothing of it; and it emits a step that it could not
/// emit without its bus name, as the definition of the device names the emitters.
@main
struct ScreenTime {
    static func main() async {
        guard CommandLine.arguments.count == 2, let minutes = Double(CommandLine.arguments[1]), minutes > 0 else {
            end(64, "usage: screen-time MINUTES, with a number above 0")
        }
        do {
            let bus = try NavigationBus()
            let name = try await bus.present(as: "org.example.ScreenTime") { request in
                throw NoScreen(name: request.name)
            }
            var time = ScreenTime(bus, minutes: minutes)
            for await event in bus.watch("device") { time.follow(event) }
            withExtendedLifetime(name) {}
            end(1, "the connection to the bus has ended")
        } catch {
            end(1, "\(error)")
        }
    }

    private static let watched: Set = ["movieList", "movieDetail", "castDetail", "player"]

    private let bus: NavigationBus
    private let minutes: Double
    /// The screens that are in front, of those that count.
    private var front: Set<NodePath> = []
    /// How long the former ones were in front, since the last notice.
    private var seen = Duration.zero
    private var began = ContinuousClock.now
    private var notice: Task<Void, Never>?

    private init(_ bus: NavigationBus, minutes: Double) {
        self.bus = bus
        self.minutes = minutes
    }

    private mutating func follow(_ event: TreeEvent) {
        let before = front.isEmpty
        switch event {
        case .snapshot(let nodes):
            front = Set(nodes.filter { $0.isPresented && Self.watched.contains($0.name) }.map(\.path))
        case .changed(let path, .presented(let isPresented)):
            guard let name = path.description.split(separator: "/").last else { return }
            // A second page of the same kind has a number behind its name.
            guard Self.watched.contains(String(name.prefix { $0 != "_" })) else { return }
            if isPresented { front.insert(path) } else { front.remove(path) }
        case .removed(let path): front.remove(path)
        case .serviceGone: front = []
        default: return
        }
        guard front.isEmpty != before else { return }
        notice?.cancel()
        if before { start() } else { seen += began.duration(to: .now) }
    }

    /// Waits for the rest of the time, and begins anew after each notice.
    private mutating func start() {
        began = .now
        let limit = Duration.seconds(minutes * 60)
        if seen > limit { seen = .zero }
        notice = Task { [bus, minutes, rest = limit - seen] in
            var wait = rest
            while (try? await Task.sleep(for: wait)) != nil {
                let notice: [String: DBusValue] = [
                    "notice": "You have watched for", "about": .string("\(minutes.formatted()) minutes"),
                ]
                do {
                    try await bus.emit("noticed", notice, on: "device")
                } catch {
                    if !Task.isCancelled { Self.say("nobody is told: \(error)") }
                }
                wait = limit
            }
        }
    }

    private static func say(_ message: String) {
        FileHandle.standardError.write(Data("screen-time: \(message)\n".utf8))
    }

    private static func end(_ status: Int32, _ message: String) -> Never {
        say(message)
        exit(status)
    }
}

/// Why it shows nothing, if a definition names it as a presenter.
private struct NoScreen: Error, CustomStringConvertible {
    let name: String
    var description: String { "screen-time has no windows, and does not show '\(name)'" }
}
