public import FlowBus
extension NavigationBus {
    /// Shows the screens whose definitions name this program as their presenter, each with an object of this program.
    ///
    /// ```swift
    /// final class Compose: Screen {
    ///     let presence = Presence()
    ///     @SavedState var draft = Draft()
    /// }
    ///
    /// let presenter = try await bus.present(as: "com.example.Mail", screens: { _ in Compose() })
    /// ```
    ///
    /// Everything about a screen goes through its object, as with a ``/FlowBus/FlowCoordinator``: ``/FlowBus/Presentable/present(_:)`` and
    /// ``/FlowBus/Presentable/withdraw()`` are called, its visibility, its ``/FlowBus/Presence/title``, its dismissal and its answer
    /// (``/FlowBus/Answering``) are reported, and properties with ``/FlowBus/SavedState`` are saved, and have what an earlier process saved before
    /// ``/FlowBus/Presentable/present(_:)`` is called. If the object is a ``/FlowBus/Stepper``, its steps are emitted on the screen; initial steps
    /// are not, because the definitions decide where a screen begins.
    ///
    /// The presenter keeps a strong reference to each object until its screen is gone, or another process shows it. After a restart
    /// of the service, objects whose screens were not restored are withdrawn.
    ///
    /// - Parameters:
    ///   - name: the well-known bus name, as in ``present(as:at:_:withdraw:)``.
    ///   - path: the object path, as in ``present(as:at:_:withdraw:)``.
    ///   - makeScreen: makes the object of a screen, when this program first presents it. If it throws, the service gets the error
    ///     and dismisses the screen.
    /// - Returns: The presenter. It serves the object as long as it is kept.
    /// - Throws: ``/FlowBus/NavigationError``, as ``present(as:at:_:withdraw:)``.
    public func present(
        as name: String? = nil, at path: String? = nil,
        screens makeScreen: @escaping @FlowActor (PresentationRequest) throws -> any Presentable
    ) async throws -> ScreenPresenter {
        let stage = ScreenStage(link, makeScreen) { [weak self] in self?.nextToken() }
        let presenter = try await present(as: name, at: path) { request in
            try stage.present(request)
        } withdraw: { withdrawal in
            stage.withdraw(withdrawal)
        }
        stage.presenter = presenter
        return presenter
    }
}
