import FlowBus

/// Panes on top of each other, as in a UINavigationController.
class Stack: Pane {
    private(set) var panes: [Pane] = []

    override var pages: [Page] { panes.last?.pages ?? [] }

    func push(_ pane: Pane) {
        panes.last?.hide()
        panes.append(pane)
        pane.container = self
        pane.show()
        changed()
    }

    /// Closes the top pane.
    func pop() {
        guard let top = panes.last else { return }
        remove(top)
        top.dismiss()
    }

    override func remove(_ pane: Pane) {
        panes.removeAll { $0 === pane }
        panes.last?.show()
        changed()
    }
}

/// One pane of several, as in a UITabBarController.
final class Tabs: Pane {
    private(set) var tabs: [Pane] = []
    private(set) var selected: Pane?

    override var pages: [Page] { selected?.pages ?? [] }

    func setTabs(_ panes: [Pane]) {
        tabs = panes
        for pane in panes { pane.container = self }
        if let first = panes.first { select(first) }
    }

    func select(_ pane: Pane) {
        selected = pane
        for other in tabs where other !== pane { other.hide() }
        pane.show()
        changed()
    }
}

/// A list and its selected item, as in a UISplitViewController.
final class Split: Pane {
    private var master: Pane?
    private var detail: Pane?

    override var pages: [Page] { (master?.pages ?? []) + (detail?.pages ?? []) }

    func setMaster(_ pane: Pane) {
        master = pane
        add(pane)
    }

    /// Replaces the detail pane.
    func setDetail(_ pane: Pane) {
        detail?.dismiss()
        detail = pane
        add(pane)
    }

    private func add(_ pane: Pane) {
        pane.container = self
        pane.show()
        changed()
    }

    override func remove(_ pane: Pane) {
        if master === pane { master = nil }
        if detail === pane { detail = nil }
        changed()
    }
}

/// The window, which notifies an observer whenever the visible pages change.
final class Window: Stack {
    let changes = PublishRelay<Void>()

    override func changed() { changes.accept(()) }
}
