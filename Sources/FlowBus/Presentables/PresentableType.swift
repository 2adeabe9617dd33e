/// What a type of presentables is. It is found out once for each type: a cast to a protocol looks for the conformance each time, which
/// is dear where there is none.
@FlowActor
struct PresentableType {
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
        if let found = known[ObjectIdentifier(type)] { return found }
        let new = PresentableType(type)
        known[ObjectIdentifier(type)] = new
        return new
    }

    func presence(of presentable: any Presentable) -> Presence? { readPresence?(presentable) }
}

extension Presentable {
    /// Whether it is a ``Flow``.
    var isFlow: Bool { PresentableType.of(self).isFlow }

    /// It as a flow.
    var asFlow: (any Flow)? { isFlow ? self as? any Flow : nil }

    /// The presence of a ``Screen``; nil of any other presentable.
    var screenPresence: Presence? { PresentableType.of(self).presence(of: self) }
}
