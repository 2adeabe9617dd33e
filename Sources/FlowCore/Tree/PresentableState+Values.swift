// The properties of a presentable by their names.

extension PresentableState {
    // A property that an earlier version of the service does not have is as it begins.

    /// The name of the screen, or of the flow's definition.
    package var name: String { properties.text(.name) ?? "" }
    /// The instance number.
    package var instance: UInt64 { properties.number(.instance) ?? 0 }
    /// The style; empty if there is none.
    package var style: String { properties.text(.style) ?? "" }
    /// The arguments, without those of private steps.
    package var arguments: Arguments { properties.arguments(.arguments) ?? [] }
    /// Whether it is visible.
    package var isVisible: Bool { properties.flag(.visible) ?? false }
    /// Whether it is presented.
    package var isPresented: Bool { properties.flag(.presented) ?? false }
    /// Whether a flow is ready; true for a screen.
    package var isReady: Bool { properties.flag(.ready) ?? true }
    /// The object path of the child that covers the others; nil if none does.
    package var current: String? { properties.path(.current) }
    /// The unique bus name of the owner; empty if there is none.
    package var owner: String { properties.text(.owner) ?? "" }
    /// The title of a screen; empty if there is none.
    package var title: String { properties.text(.title) ?? "" }
    /// The bus name of the presenter; empty if there is none.
    package var presenter: String { properties.text(.presenter) ?? "" }
}
