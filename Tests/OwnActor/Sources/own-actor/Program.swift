import Dispatch
import Glibc
import Synchronization

/// A program that never gives its main thread: its flows are on an actor of their own, by the trait `OwnActor` of the package.
///
/// `own-actor` has flows in this process; `own-actor ADDRESS` has them on the bus. It prints a line for each thing that happens, the
/// same ones both times. The main thread waits for each line, in a system call, and does nothing else.
@main
enum Program {
    @MainActor
    static func main() {
        let lines = Mailbox()
        let answers = Mailbox()
        let address = CommandLine.arguments.dropFirst().first
        // Not `await`: that would give the main thread to other tasks of the main actor.
        Task.detached {
            do {
                try await Play(lines, answers, address).run()
                lines.send("end")
            } catch {
                lines.send("error \(error)")
            }
        }
        while true {
            let line = lines.receive()
            print(line)
            switch line {
            case "end": exit(0)
            case _ where line.hasPrefix("error "): exit(1)
            // The flow waits for the main thread in the middle of a navigation, which is so at work in two threads at once.
            case "navigate meet": answers.send("the main thread was here")
            default: break
            }
        }
    }
}

/// What one thread leaves for another one, which waits for it without giving itself away.
final class Mailbox: Sendable {
    private let messages = Mutex<[String]>([])
    private let count = DispatchSemaphore(value: 0)

    func send(_ message: String) {
        messages.withLock { $0.append(message) }
        count.signal()
    }

    func receive() -> String {
        count.wait()
        return messages.withLock { $0.removeFirst() }
    }
}
