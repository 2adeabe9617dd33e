import Glibc
import Testing

@testable import SdBus

@Suite("Journal and service manager")
struct JournalTests {
    @Test func `a stream is identified by device and inode`() {
        var status = stat()
        #expect(fstat(STDERR_FILENO, &status) == 0)
        #expect(Journal.isStream(STDERR_FILENO, named: "\(status.st_dev):\(status.st_ino)"))
        #expect(!Journal.isStream(STDERR_FILENO, named: "\(status.st_dev):\(status.st_ino + 1)"))
        for rubbish in ["", ":", "1", "1:2:3", "x:y", "-1:5"] {
            #expect(!Journal.isStream(STDERR_FILENO, named: rubbish), "\(rubbish)")
        }
        #expect(!Journal.isStream(-1, named: "1:2"))
    }

    @Test func `an entry carries its fields as they are`() {
        let (bytes, ends) = Journal.assignments(
            .warning, "two\nlines", [("FLOWBUS_STEP", "a=b"), ("FLOWBUS_FLOW", "")])
        var start = 0
        let parts = ends.map { end in
            defer { start = end }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        #expect(parts == ["PRIORITY=4", "MESSAGE=two\nlines", "FLOWBUS_STEP=a=b", "FLOWBUS_FLOW="])
    }

    @Test func `a system without a journal is no error`() throws {
        try Journal.send(.debug, "a test of the journal's client", fields: [("FLOWBUS_TEST", "1")])
    }

    @Test func `the manager gets the service's notifications`() async {
        await #expect(processExitsWith: .success) {
            let listener = try NotifyListener()
            let notifier = Notifier()
            #expect(notifier.isEnabled)
            try notifier.ready(status: "up\nMAINPID=1")
            #expect(listener.next() == "READY=1\nSTATUS=up MAINPID=1")
            try notifier.status("busy")
            #expect(listener.next() == "STATUS=busy")
            try notifier.reloading()
            #expect(listener.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            try notifier.stopping()
            #expect(listener.next() == "STOPPING=1")
        }
    }

    @Test func `without a manager nothing is sent`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let notifier = Notifier()
            #expect(!notifier.isEnabled)
            try notifier.ready()
            try notifier.status(
                {
                    Issue.record("evaluated"); return ""
                }())
        }
    }
}

/// A service manager's socket, in a process of its own.
private struct NotifyListener {
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // In the abstract namespace: nothing to clean up.
        let name = "flowbus-notify-\(getpid())"
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path[0] = 0
            for (index, byte) in name.utf8.enumerated() { path[index + 1] = byte }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try check("bind", result == 0 ? 0 : -errno)
        setenv("NOTIFY_SOCKET", "@" + name, 1)
    }

    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
