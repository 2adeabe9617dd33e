internal import Glibc

/// The D-Bus service files of a machine: the programs that its buses can start.
///
/// Source: D-Bus specification, "Message Bus Starting Services"; dbus-daemon(1), `standard_session_servicedirs`.
public struct ServiceFiles: Sendable {
    /// The bus names.
    public let names: Set<String>
    /// The paths of the files by their names, without those that `flowbusctl units` has written.
    let others: [String: String]

    /// How the files begin that `flowbusctl units` writes.
    public static let mark = "# Written by flowbus"

    /// Reads the files in the folders of the session bus and of the system bus.
    ///
    /// - Parameter environment: the environment, for the folders of the user and of the data.
    public init(environment: [String: String]) {
        func list(_ variable: String, _ usual: String) -> [String] {
            let value = environment[variable] ?? ""
            return (value.isEmpty ? usual : value).split(separator: ":").map(String.init)
        }
        let home = environment["HOME"].map { $0 + "/.local/share" } ?? ""
        let data = list("XDG_DATA_HOME", home) + list("XDG_DATA_DIRS", "/usr/local/share:/usr/share")
        var folders = data.flatMap { ["\($0)/dbus-1/services", "\($0)/dbus-1/system-services"] }
        if let runtime = environment["XDG_RUNTIME_DIR"] { folders.append(runtime + "/dbus-1/services") }
        self.init(folders: folders)
    }

    /// Reads the files in these folders.
    init(folders: [String]) {
        var names: Set<String> = []
        var others: [String: String] = [:]
        for folder in folders {
            guard let directory = opendir(folder) else { continue }
            while let entry = readdir(directory) {
                let file = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard file.hasSuffix(".service"), let text = try? FileReader.text(of: folder + "/" + file) else {
                    continue
                }
                for line in text.split(separator: "\n") where line.hasPrefix("Name=") {
                    let name = String(line.dropFirst("Name=".count))
                    names.insert(name)
                    if !text.hasPrefix(Self.mark), others[name] == nil { others[name] = "\(folder)/\(file)" }
                }
            }
            closedir(directory)
        }
        self.names = names
        self.others = others
    }
}
