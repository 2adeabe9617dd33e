import Foundation
import Glibc
import Synchronization

/// The output of a child process and how it ended. Threads of its own collect it, so that the child never blocks on a
/// full pipe while a test waits for something else. Each change writes a byte into a pipe that the test can wait on.
final class ChildOutput: Sendable {
    struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openPipes = 2
        var exit: ChildProcess.Exit?
    }

    private let state = Mutex(State())
    private let news: Pipe

    init() throws { news = try Pipe(nonBlocking: true) }

    deinit {
        close(news.readEnd)
        close(news.writeEnd)
    }

    var current: State { state.withLock { $0 } }

    var newsDescriptor: pollfd { pollfd(fd: news.readEnd, events: Int16(POLLIN), revents: 0) }

    /// Drops earlier notifications. Call it before reading ``current``, so that none is missed.
    func clearNotifications() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(news.readEnd, &bytes, bytes.count) > 0 {}
    }

    private func notify() {
        var byte: UInt8 = 0
        // A full pipe is readable, too.
        _ = write(news.writeEnd, &byte, 1)
    }

    func collect(_ descriptor: Int32, into buffer: any WritableKeyPath<State, [UInt8]> & Sendable) {
        Thread.detachNewThread { [self] in
            var bytes = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &bytes, bytes.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                state.withLock { $0[keyPath: buffer].append(contentsOf: bytes[..<count]) }
                notify()
            }
            close(descriptor)
            state.withLock { $0.openPipes -= 1 }
            notify()
        }
    }

    /// Waits for the end of the child. It stays a zombie until the lock is taken, so that ``signal(_:to:)`` can't hit
    /// another process with the same number.
    func reap(_ process: pid_t) {
        Thread.detachNewThread { [self] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
            state.withLock { state in
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7f
                state.exit = signal == 0 ? .status((status >> 8) & 0xff) : .signal(signal)
            }
            notify()
        }
    }

    func signal(_ number: Int32, to process: pid_t) {
        state.withLock { state in
            // 0 means that the child never started; kill(2) would take it for the whole process group.
            guard process > 0, state.exit == nil else { return }
            kill(process, number)
        }
    }
}
