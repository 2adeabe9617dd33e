/// Where what outlives the process is kept: by the options, else by the environment (durability.md).
struct StoreFolders: Equatable {
    /// For the tree: it should end with the login; nil: it is not kept.
    var runtime: String?
    /// For the history; nil: it is not kept.
    var state: String?
    /// Why something is not kept that was to be, for a person.
    var warnings: [String] = []

    /// Nothing is kept.
    static let none = StoreFolders(runtime: nil, state: nil)
}

extension StoreFolders {
    /// Finds the folders; they need not be there.
    init(
        runtime: Options.FolderChoice?, state: Options.FolderChoice?, environment: [String: String]
    ) {
        self.init(runtime: nil, state: nil)
        /// A folder that the environment names. What is empty or relative counts as not set (XDG Base Directory
        /// Specification).
        func folder(_ variable: String, _ below: String) -> String? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            return path + below
        }
        /// The first of those that systemd made for the unit (systemd.exec(5), RuntimeDirectory=).
        func unitFolder(_ variable: String) -> String? {
            environment[variable]?.split(separator: ":").first.map(String.init)
        }
        switch runtime {
        case .folder(let path): self.runtime = path
        case Options.FolderChoice.none?: break
        case nil:
            self.runtime = unitFolder("RUNTIME_DIRECTORY") ?? folder("XDG_RUNTIME_DIR", "/flowbus")
            if self.runtime == nil {
                warnings.append(
                    "The tree is not kept: XDG_RUNTIME_DIR names no folder; --runtime can, or say --runtime none")
            }
        }
        switch state {
        case .folder(let path): self.state = path
        case Options.FolderChoice.none?: break
        case nil:
            self.state =
                unitFolder("STATE_DIRECTORY") ?? folder("XDG_STATE_HOME", "/flowbus")
                ?? folder("HOME", "/.local/state/flowbus")
            if self.state == nil {
                warnings.append(
                    "The history is not kept: neither XDG_STATE_HOME nor HOME names a folder; --state can, or say "
                        + "--state none")
            }
        }
    }

    /// The tree's file for the bus of this id.
    func treeFile(ofBus id: String) -> String? { runtime.map { $0 + "/tree-" + id + ".db" } }

    /// The history's file.
    var historyFile: String? { state.map { $0 + "/history.db" } }
}
