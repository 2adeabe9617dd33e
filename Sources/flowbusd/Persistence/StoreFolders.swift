/// The folders of the stores, by the options, else by the environment (durability.md).
struct StoreFolders: Equatable {
    /// For the tree, which should not outlive the login; nil if it is not stored.
    var runtime: String?
    /// For the history; nil if it is not stored.
    var state: String?
    /// Why something is not stored that should be, for a person.
    var warnings: [String] = []

    /// Nothing is stored.
    static let none = StoreFolders(runtime: nil, state: nil)
}

extension StoreFolders {
    /// Finds the folders, which need not exist.
    init(
        runtime: Options.FolderChoice?, state: Options.FolderChoice?, environment: [String: String]
    ) {
        self.init(runtime: nil, state: nil)
        /// A folder from the environment. An empty or relative path counts as not set (XDG Base Directory Specification).
        func folder(_ variable: String, _ below: String) -> String? {
            guard let path = environment[variable], path.hasPrefix("/") else { return nil }
            return path + below
        }
        /// The first folder that systemd created for the unit (systemd.exec(5), RuntimeDirectory=).
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
                    "The tree is not stored: XDG_RUNTIME_DIR names no folder; give one with --runtime, or --runtime none"
                )
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
                    "The history is not stored: neither XDG_STATE_HOME nor HOME names a folder; give one with "
                        + "--state, or --state none")
            }
        }
    }

    /// Whether anything is stored.
    var storeAnything: Bool { runtime != nil || state != nil }

    /// The tree's file for the bus of this id.
    func treeFile(ofBus id: String) -> String? { runtime.map { $0 + "/tree-" + id + ".db" } }

    /// The history's file.
    var historyFile: String? { state.map { $0 + "/history.db" } }
}
