import FlowBus

/// A visible element: a page, or a window with others in it. It stands for a widget or view of a toolkit.
class Pane: Screen {
    let presence = Presence()
    let title: String
    weak var container: Pane?

    init(_ title: String) { self.title = title }

    /// Its visible pages.
    var pages: [Page] { [] }

    /// Called when the visible pages change.
    func changed() { container?.changed() }

    /// Removes a closed pane.
    func remove(_ pane: Pane) {}

    /// Closes the pane after something other than the user dismissed it.
    func withdraw() { container?.remove(self) }
}

/// A page of text, with buttons.
class Page: Pane {
    var text = ""
    var buttons: [Button] = []

    override var pages: [Page] { [self] }

    /// A textual picture: `Login: [Log in]`.
    var picture: String {
        let parts = (text.isEmpty ? [] : [text]) + buttons.map { "[\($0.label)]" }
        return ([title + ":"] + parts).joined(separator: " ")
    }
}

struct Button {
    let label: String
    let press: @MainActor () -> Void

    init(_ label: String, _ press: @escaping @MainActor () -> Void) {
        self.label = label
        self.press = press
    }
}
