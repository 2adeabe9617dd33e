internal import FlowBus
internal import FlowCore
internal import FlowWire
internal import SdBus

/// The presenter of the screens of all coordinators of a connection. A screen has one presenter, whichever flows contribute it: so two
/// coordinators can have screens of the same class.
@FlowActor
final class SharedPresenter {
    /// The path of its object.
    static let path = "/org/flowbus/swift"

    private struct Entry {
        weak let host: BusHost?
    }

    private var entries: [Entry] = []
    private var object: ServedObject?
    private let link: BusLink

    init(_ link: BusLink) { self.link = link }

    private var hosts: [BusHost] { entries.compactMap(\.host) }

    /// Adds a coordinator's host. The object is there as long as there is one.
    func add(_ host: BusHost) throws(NavigationError) {
        if object == nil {
            object = try ServedObject(link, Self.path, [ServedInterfaces.presenter]) {
                [weak self] member, call, reply in
                self?.take(member, call, reply)
            }
        }
        entries.append(Entry(host: host))
    }

    func remove(_ host: BusHost) {
        entries.removeAll { $0.host == nil || $0.host === host }
        guard entries.isEmpty else { return }
        object?.end()
        object = nil
    }

    /// Handles a call of the service. Withdrawals are ignored: the tree reports what is gone.
    private func take(_ member: String, _ call: MessageReader, _ reply: PendingReply) {
        guard member == "Present" else { return }
        do throws(SdError) {
            let request = try PresentationRequest(call) { PresentedScreen(link, $0, $1) }
            // A host that has not read the tree yet does not know the screen, and must not keep the others waiting.
            if hosts.contains(where: { $0.isLive && $0.present(request, reply) }) { return }
            present(request, by: (hosts.filter(\.isLive) + hosts.filter { !$0.isLive })[...], reply)
        } catch {
            reply.failUnread("the call", error)
        }
    }

    /// Has the first of several hosts that has the object of a screen present it, once each knows the tree with the screen.
    private func present(_ request: PresentationRequest, by hosts: ArraySlice<BusHost>, _ reply: PendingReply) {
        guard let host = hosts.first else {
            return reply.fail(
                FlowError.Code.presentableDismissed.busName, "there is no object for the screen '\(request.path)'")
        }
        host.afterReports { [weak self] in
            if !host.present(request, reply) { self?.present(request, by: hosts.dropFirst(), reply) }
        }
    }
}
