internal import FlowBus
internal import FlowCore
internal import FlowWire

/// The ``Screen`` objects that a ``ScreenPresenter`` shows, by instance.
@FlowActor
final class ScreenStage: LinkListener {
    private let link: BusLink
    private let make: @FlowActor (PresentationRequest) throws -> any Presentable
    private let nextToken: @FlowActor () -> String?
    private var shown: [UInt64: HostedNode] = [:]
    /// The screens of these nodes.
    private var screens: [UInt64: PresentedScreen] = [:]
    private var number: UInt64 = 0
    /// Reports what fails.
    weak var presenter: ScreenPresenter?

    init(
        _ link: BusLink, _ make: @escaping @FlowActor (PresentationRequest) throws -> any Presentable,
        nextToken: @escaping @FlowActor () -> String?
    ) {
        (self.link, self.make, self.nextToken) = (link, make, nextToken)
        number = link.add(self)
    }

    isolated deinit { link.remove(number) }

    func present(_ request: PresentationRequest) throws {
        let known = shown[request.instance]
        let node = try known ?? makeNode(request)
        guard let reports = node.reports else { return }
        request.screen.say(
            reports.answer(request.known) {
                if known == nil { begin(node, request) }
                reports.restore(Arguments(request.state))
                node.presentable.present(Presentation(request))
            })
        request.screen.whenOwned { [weak reports] in reports?.becomeOwner() }
    }

    func withdraw(_ withdrawal: Withdrawal) {
        let instance = withdrawal.instance
        guard withdrawal.reason == .evicted, let node = shown.removeValue(forKey: instance) else {
            return remove(instance)
        }
        screens.removeValue(forKey: instance)?.asks.end()
        // It is the owner until it releases the screen. What it changes now is saved, too.
        node.presentable.withdraw()
        node.reports?.whenSaved { [link] in
            node.end()
            link.release(withdrawal.path.objectPath(of: instance)) { _ in }
        }
    }

    private func makeNode(_ request: PresentationRequest) throws -> HostedNode {
        let presentable = try make(request)
        let (path, instance) = (request.path, request.instance)
        let stepper = presentable as? any Stepper ?? NoneStepper()
        let node = HostedNode(ContributedChild(presentable, stepper), at: path, instance: instance)
        let object = path.objectPath(of: instance)
        let calls = PresenceReports.Calls(
            setVisible: { [link] in link.setVisible($0, at: object, $1) },
            dismiss: { [link] in link.dismiss(object, $0) },
            setTitle: { [link] in link.setTitle($0, at: object, $1) },
            save: { [link] in link.saveState($0, at: object, $1) },
            finish: { [link] answer, done in
                do throws(NavigationError) {
                    link.finish(object, try answer.encoded(), done)
                } catch {
                    done(.failure(error))
                }
            })
        let reports = PresenceReports(SavedProperties(of: presentable), calls) { [weak self] error in
            self?.presenter?.notify(NavigationFailure(path: path, step: "", error))
        }
        // The service sends no Withdraw for what its owner closes.
        reports.isGone = { [weak self] in self?.remove(instance) }
        node.reports = reports
        return node
    }

    private func begin(_ node: HostedNode, _ request: PresentationRequest) {
        let (path, instance, reports) = (request.path, request.instance, node.reports)
        screens[instance] = request.screen
        request.screen.asks.whenSaved = { [weak reports] in reports?.whenSaved($0) }
        request.screen.asks.bind(node.presentable)
        shown[instance] = node
        node.observePresence(Receiver { [weak reports] change in reports?.report(change) })
        node.subscribeToSteps { [weak self, weak reports] step in
            reports?.sendBeforeStep()
            self?.emit(step, on: path, instance)
        }
        node.stepper.readyToEmitSteps()
    }

    private func emit(_ step: any Step, on path: NodePath, _ instance: UInt64) {
        if step is NoneStep { return }
        do throws(NavigationError) {
            let message = try link.names.message(of: step)
            let emission = Emission(step: message, path: path, token: nextToken(), instance: instance)
            link.emit(emission) { [weak self] result in
                if let failure = NavigationFailure(of: result, message.name, on: path) {
                    self?.presenter?.notify(failure)
                }
            }
        } catch {
            presenter?.notify(NavigationFailure(path: path, step: String(describing: step), error))
        }
    }

    private func remove(_ instance: UInt64) {
        screens.removeValue(forKey: instance)?.asks.end()
        guard let node = shown.removeValue(forKey: instance) else { return }
        node.end()
        if node.reports?.isDismissed != true { node.presentable.withdraw() }
    }

    // MARK: LinkListener

    /// A service that did not restore the tree has none of the screens. One that did gets what it missed.
    func serviceAppeared() {
        if shown.isEmpty { return }
        link.call("\(BusNames.root)", BusNames.Interface.objectManager, "GetManagedObjects") { [weak self] result in
            guard let self, case .success(let answer) = result, let objects = try? answer.readValue() else { return }
            let live = Set(Node.all(in: objects).map(\.instance))
            for instance in shown.keys.sorted() where !live.contains(instance) { remove(instance) }
            for (_, node) in shown.sorted(by: { $0.key < $1.key }) { node.reports?.catchUp() }
        }
    }
}
