import FlowCore
import FlowWire
import Logging
import Platform
import SdBus

// The processes of owners that hang are ended (S-44).

extension Daemon {
    /// What the bus knows of a client's process.
    private struct Credentials {
        var user: UInt32?
        var process: Int32?
    }

    /// Ends the process of a client that hangs, if that is one of this user, and none that others need.
    func endProcess(of client: Client, screen: String) {
        guard setup.endsProcesses else {
            return log("is not ended, as this is the system bus", client, screen)
        }
        ask("GetConnectionCredentials", about: client, screen) { [unowned self] answer in
            var credentials = Credentials()
            let handle = try Self.read(answer, &credentials)
            guard let process = credentials.process, let user = credentials.user else {
                return log("is not ended, as the bus does not know it", client, screen)
            }
            if let why = Self.refusal(process, user) { return log("is not ended, as \(why)", process, client, screen) }
            if let handle { return end(handle, process, client, screen) }
            confirm(try ProcessHandle(of: process), process, client, screen)
        }
    }

    /// The number may be that of a later process by now. It is not if the connection is there still.
    private func confirm(_ handle: consuming ProcessHandle, _ process: Int32, _ client: Client, _ screen: String) {
        let kept = Kept(handle)
        ask("GetConnectionUnixProcessID", about: client, screen) { [unowned self] answer in
            guard try answer.readUInt32() == UInt32(process) else { return }
            end(kept.handle, process, client, screen)
        }
    }

    /// A closure can't hold what has no copies.
    private final class Kept {
        let handle: ProcessHandle
        init(_ handle: consuming ProcessHandle) { self.handle = handle }
    }

    private func end(_ handle: borrowing ProcessHandle, _ process: Int32, _ client: Client, _ screen: String) {
        do {
            try handle.kill()
            log("was ended", process, client, screen)
        } catch {
            log("could not be ended: \(error)", process, client, screen)
        }
    }

    /// Asks the bus about a client. If that is gone, there is nothing to end.
    private func ask(
        _ method: String, about client: Client, _ screen: String, _ take: @escaping (MessageReader) throws -> Void
    ) {
        do {
            endingProcesses[client] = try output.call(.bus, method, "s") { body in
                try body.append(client.name)
            } answered: { [unowned self] answer in
                endingProcesses[client] = nil
                // Somebody else guessed the number of the call.
                guard BusNames.bus.isSpelled(answer.sender) else { return ask(method, about: client, screen, take) }
                guard answer.errorName == nil, bus.isOpen, !isLost else { return }
                do {
                    try take(answer)
                } catch {
                    log("could not be ended: \(error)", client, screen)
                }
            }
        } catch {
            connectionFailed(error)
        }
    }

    private static func read(_ answer: MessageReader, _ credentials: inout Credentials) throws -> ProcessHandle? {
        var handle: ProcessHandle?
        guard try answer.enterContainer(.array, "{sv}") else { return nil }
        while try answer.enterContainer(.dictEntry, "sv") {
            let key = String(cString: try answer.readString())
            switch key {
            case "UnixUserID" where try answer.enterVariant(of: UInt8(ascii: "u")):
                credentials.user = try answer.readUInt32()
                try answer.exitContainer()
            case "ProcessID" where try answer.enterVariant(of: UInt8(ascii: "u")):
                credentials.process = Int32(exactly: try answer.readUInt32())
                try answer.exitContainer()
            case "ProcessFD" where try answer.enterVariant(of: UInt8(ascii: "h")):
                handle = try ProcessHandle(copying: try answer.readFileDescriptor())
                try answer.exitContainer()
            default: try answer.skip("v")
            }
            try answer.exitContainer()
        }
        return handle
    }

    /// Why a process is not ended; nil if it is. The service manager is among the ancestors, and so is the bus if it started this
    /// process; a bus owns no names of others.
    private static func refusal(_ process: Int32, _ user: UInt32) -> String? {
        if process == CurrentProcess.id { return "it is flowbusd itself" }
        if user != CurrentProcess.effectiveUserID { return "user \(user) runs it" }
        if process <= 1 || Processes.ancestors.contains(process) { return "flowbusd descends from it" }
        return Processes.isConfined(process) ? "it is in a sandbox or a container" : nil
    }

    private func log(_ what: String, _ process: Int32, _ client: Client, _ screen: String) {
        log(what, client, screen, "process \(process), '\(client.name)'")
    }

    private func log(_ what: String, _ client: Client, _ screen: String, _ who: String? = nil) {
        limiter.log(
            .warning, "The process that hangs with the screen '\(screen)' \(what)", of: client.name,
            who ?? "'\(client.name)'",
            metadata: [LogField.screen: "\(screen)", LogField.peer: "\(client.name)"])
    }
}
