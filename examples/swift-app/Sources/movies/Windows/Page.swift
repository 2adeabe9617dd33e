import FlowBus

/// Something to be seen: a page, or a window with others in it. It stands for what a toolkit has: a widget, a view.
class Pane: Screen {
    let presence = Presence()
    let title: String
    weak var container: Pane?

    init(_ title: String) { self.title = title }

    /// The pages of it that are in sight.
    var pages: [Page] { [] }

    /// Something else is in sight.
    func changed() { container?.changed() }

    /// One of its panes is closed.
    func remove(_ pane: Pane) {}

    /// It is gone by other hands than the user's.
    func withdraw() { container?.remove(self) }
}

/// A page of text, with buttons.
class Page: Pane {
    var text = ""
    var buttons: [Button] = []

    override var pages: [Page] { [self] }

    /// As it looks: `Login: [Log in]`.
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
