import Glibc
import SdBus

/// The owners of bus names, followed by a match rule for each name. The bus reports a new owner before it delivers what
/// that owner sends.
final class BusNameWatches {
    /// Why a name is not watched.
    struct Failure: Error {
        /// What the call failed with.
        let error: SdError
        /// Whether the bus refused it, for instance because the connection has too many rules; else the connection is lost.
        let isRefusal: Bool
    }

    /// Runs in the loop with each change; the owner is a unique name, or nil for none.
    var ownerChanged: (_ name: String, _ owner: String?) -> Void = { _, _ in }
    private let bus: Bus
    private var matches: [String: Slot] = [:]
    /// The watched name that was looked for last, which is often the next one, too.
    private var latest: String?

    /// Watches no name yet.
    init(_ bus: Bus) { self.bus = bus }

    /// The names that are watched, sorted.
    var names: [String] { matches.keys.sorted() }

    /// Whether a name is watched.
    func contains(_ name: String) -> Bool {
        if name == latest { return true }
        guard matches[name] != nil else { return false }
        latest = name
        return true
    }

    /// Watches a name.
    ///
    /// - Returns: its owner now.
    func add(_ name: String) throws(Failure) -> String? {
        let rule =
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
            + "path='/org/freedesktop/DBus',arg0='\(name)'"
        do throws(SdError) {
            matches[name] = try bus.addMatch(rule, userdata: Unmanaged.passUnretained(self).toOpaque()) {
                message, context, _ in
                guard let message, let context else { return 0 }
                Unmanaged<BusNameWatches>.fromOpaque(context).takeUnretainedValue().take(MessageReader(message))
                return 0
            }
        } catch {
            // A refusal has another code than memory that is short.
            throw Failure(error: error, isRefusal: error.code != ENOMEM && !error.isDisconnected)
        }
        do throws(SdError) {
            return try bus.uniqueName(ofOwnerOf: name)
        } catch {
            remove(name)
            throw Failure(error: error, isRefusal: false)
        }
    }

    /// Watches a name no longer.
    func remove(_ name: String) {
        matches[name] = nil
        latest = nil
    }

    private func take(_ signal: MessageReader) {
        // The match rule lets nothing else pass than the bus's own signal, so that reading can't fail.
        guard let name = try? signal.readString().string, (try? signal.readString()) != nil,
            let owner = try? signal.readString().string
        else { return }
        ownerChanged(name, owner.isEmpty ? nil : owner)
    }
}

extension UnsafePointer<CChar> {
    /// A copy of the text.
    fileprivate var string: String { String(cString: self) }
}
