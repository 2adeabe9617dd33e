/// What a type of presentables is. It is found out once for each type: a cast to a protocol looks for the conformance each time, which
/// is dear where there is none.
@FlowActor
final class PresentableType {
    let isFlow: Bool
    /// Reads the presence of a ``Screen``.
    private let readPresence: (@FlowActor (any Presentable) -> Presence?)?

    private static var known: [ObjectIdentifier: PresentableType] = [:]

    private init(_ type: any Presentable.Type) {
        isFlow = type is any Flow.Type
        readPresence = (type as? any Screen.Type).map { Self.reader(of: $0) }
    }

    private static func reader<S: Screen>(of type: S.Type) -> @FlowActor (any Presentable) -> Presence? {
        { ($0 as? S)?.presence }
    }

    static func of(_ presentable: any Presentable) -> PresentableType {
        let type = type(of: presentable)
        let id = ObjectIdentifier(type)
        let found = known[id] ?? PresentableType(type)
        known[id] = found
        return found
    }

    func presence(of presentable: any Presentable) -> Presence? { readPresence?(presentable) }
}

extension Presentable {
    /// Whether it is a ``Flow``.
    var isFlow: Bool { PresentableType.of(self).isFlow }

    /// It as a flow.
    var asFlow: (any Flow)? { isFlow ? self as? any Flow : nil }
}
