import FlowFile
import Logging
import SdBus

/// What a daemon is given, the same for each bus that it serves in turn (D-8).
struct Setup {
    let logger: Logger
    /// Reads the definition files, again with each reload.
    let definitionReader: DefinitionReader
    /// Writes down what happens; nil: nobody asked for that.
    let recorder: Recorder?
    /// How many calls to others may be under way in all.
    let callsUnderWay: Int
    /// Where to keep what outlives the process.
    let folders: StoreFolders
    /// How much of the history is kept.
    let retention: Persistence.Retention
    /// When the tree comes back.
    let restore: Options.Restore
    /// Whether a bus that is lost is looked for again, rather than to leave that to a service manager.
    let reconnects: Bool
    /// Connects to the bus.
    let connect: () throws(SdError) -> Bus
    /// What is served, made once: sd-bus wants it for ever.
    let vtables = Vtables()
}

/// The interfaces as sd-bus has them.
struct Vtables {
    let coordinator = CoordinatorInterface.description.makeVtable()
    let history = HistoryInterface.description.makeVtable()
    let stepper = StepperInterface.description.makeVtable()
    let presentable = PresentableInterface.description.makeVtable()
    let flow = FlowInterface.description.makeVtable()
}
