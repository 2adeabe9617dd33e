import FlowBus
import FlowBusClient
import Foundation

/// `movies` runs the tour in this process; `movies --bus` as a part of the tree that flowbusd keeps on the session bus.
@main
enum Movies {
    static func main() async {
        do {
            switch CommandLine.arguments.dropFirst() {
            case []: try await Tour(FlowCoordinator()).play(isHelped: false)
            case ["--bus"]: try await Tour(FlowCoordinator(bus: NavigationBus(.session))).play(isHelped: true)
            default: end(64, "usage: movies [--bus]")
            }
        } catch {
            end(1, "movies: \(error)")
        }
    }

    private static func end(_ status: Int32, _ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}

/// Prints a line immediately, because other programs wait for it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
