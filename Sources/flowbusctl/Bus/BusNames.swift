/// The names of the bus contract that the program uses; `org.flowbus.Navigation1(5)`.
enum BusNames {
    static let service = "org.flowbus.Navigation1"
    static let root = "/org/flowbus/Navigation1"
    static let tree = "/org/flowbus/Navigation1/tree"
    static let errorPrefix = "org.flowbus.Navigation1.Error."

    static let stepper = "org.flowbus.Navigation1.Stepper"
    static let presentable = "org.flowbus.Navigation1.Presentable"
    static let flow = "org.flowbus.Navigation1.Flow"
    static let coordinator = "org.flowbus.Navigation1.Coordinator"
    static let history = "org.flowbus.Navigation1.History"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let bus = "org.freedesktop.DBus"

    /// `--version`: it goes with the service of the same version, which tells its own by `status`.
    static let version = "0.1.0"
}
