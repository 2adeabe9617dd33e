import FlowFile
import FlowWire
import Logging
import SdBus

/// What the daemons of a process share, one for each bus in turn (D-8).
struct Setup {
    let logger: Logger
    /// Reads the definition files.
    let definitionReader: DefinitionReader
    /// Writes the trace; nil without `--record`.
    let traceWriter: TraceWriter?
    /// How many calls to other processes may be under way in all.
    let callsUnderWay: Int
    /// Whether processes that hang may be ended: not on the system bus, where they are other users' services.
    let endsProcesses: Bool
    /// The folders of the stores.
    let folders: StoreFolders
    /// How much of the history is retained.
    let retention: Persistence.Retention
    /// When the tree is restored.
    let restore: Options.Restore
    /// Whether to connect again when the bus is lost, rather than to end and leave that to a service manager.
    let reconnects: Bool
    /// Connects to the bus.
    let connect: () throws(SdError) -> Bus
    /// The tables of the interfaces, made once, as sd-bus keeps pointers to them.
    let vtables = Vtables()
    /// The methods of the interfaces.
    let methods = MethodTable(
        root: OwnInterfaces.root, presentables: OwnInterfaces.presentables, flows: OwnInterfaces.flows)
    /// What Introspect answers.
    let introspection = Introspection()
}

/// The interfaces of the service, by the objects that have them.
enum OwnInterfaces {
    static var root: [InterfaceDescription] { [CoordinatorInterface.description, HistoryInterface.description] }
    static var presentables: [InterfaceDescription] {
        [StepperInterface.description, PresentableInterface.description]
    }
    /// What flows have beside those of all presentables.
    static var flows: [InterfaceDescription] { [FlowInterface.description] }
    static var all: [InterfaceDescription] { presentables + flows + root }
}

/// The documents of the objects.
struct Introspection {
    private static let standard = InterfaceDescription.standardXML
    private let screen = standard + OwnInterfaces.presentables.map(\.xml).joined()
    private let flow = OwnInterfaces.flows.map(\.xml).joined()
    /// Of the root object, below which the presentables are twice.
    let root = InterfaceDescription.document(
        standard + InterfaceDescription.objectManagerXML + OwnInterfaces.root.map(\.xml).joined(),
        children: [BusNames.tree, BusNames.instances].map { lastElement("\($0)") })

    /// Of the node above all roots, which has no interface of the service.
    func tree(_ children: [String]) -> String { document(Self.standard, children) }

    /// Of a presentable.
    func presentable(isFlow: Bool, _ children: [String]) -> String {
        document(isFlow ? screen + flow : screen, children)
    }

    private func document(_ interfaces: String, _ children: [String]) -> String {
        InterfaceDescription.document(interfaces, children: children.map(Self.lastElement))
    }

    private static func lastElement(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

/// The tables of the interfaces for sd-bus.
struct Vtables {
    let coordinator = CoordinatorInterface.description.makeVtable()
    let history = HistoryInterface.description.makeVtable()
    let stepper = StepperInterface.description.makeVtable()
    let presentable = PresentableInterface.description.makeVtable()
    let flow = FlowInterface.description.makeVtable()
}
