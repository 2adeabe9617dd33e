/// The definitions for the kill tests: roots of each kind for one client alone, and two that all clients share.
enum KillDefinitions {
    static let text =
        """
        [steps]
        begin  = {}
        add    = { number = "int64" }
        swap   = { number = "int64" }
        nest   = { number = "int64" }
        more   = { number = "int64" }
        finish = { number = "int64" }
        closed = { number = "int64" }
        note   = { number = "int64" }
        nudge  = {}
        drop   = {}
        wipe   = {}
        ask    = { number = "int64" }
        seat   = { number = "int64" }

        [screens]
        home    = {}
        page    = { arguments = { number = "int64" } }
        last    = { arguments = { number = "int64" } }
        leaf    = { arguments = { number = "int64" } }
        receipt = { arguments = { number = "int64" } }
        card    = { presenter = "org.example.Ui", arguments = { number = "int64" } }
        chair   = { arguments = { number = "int64" } }

        [[autostart]]
        flow = "shared"
        [[autostart]]
        flow = "guests"

        # A guard that answers late, and a presenter that does.
        [flows.shared]
        guard = { name = "org.example.Guard", steps = ["ask"] }
        [flows.shared.on]
        ask  = { screen = "card" }
        nudge = { none = true }
        wipe = { clear = true, screen = "home" }

        # Who sits there may leave while flowbusd is not there.
        [flows.guests.on]
        seat = { screen = "chair" }

        [flows.nested]
        initial  = "more"
        children = "stack"
        [flows.nested.on]
        more   = { screen = "leaf", whenHidden = "queue" }
        finish = { end = "closed" }

        """ + kinds.map(own).joined()

    /// The flows of roots that one client has for itself.
    static let kinds = ["free", "stack", "tabs"]

    private static func own(_ kind: String) -> String {
        """
        [flows.\(kind)]
        initial  = "begin"
        children = "\(kind)"
        [flows.\(kind).on]
        begin  = { screen = "home" }
        add    = { screen = "page", whenHidden = "queue" }
        swap   = { screen = "last", whenHidden = "latest", reuse = true, \
        onDismissed = { step = "closed", arguments = { number = "$number" } } }
        nest   = { flow = "nested", step = "more" }
        closed = { screen = "receipt", whenHidden = "allow" }
        note   = { none = true }
        drop   = { pop = "root" }
        wipe   = { clear = true, screen = "home" }

        """
    }
}
