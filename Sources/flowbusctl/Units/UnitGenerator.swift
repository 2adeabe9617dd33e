import FlowFile
import Platform

/// `flowbus-generator`: makes units at a login, and whenever the user's manager reads its units again.
///
/// It never fails: a login goes on without the programs of definition files with errors. Source: systemd.generator(7).
enum UnitGenerator {
    /// The name by which the program is one.
    static let name = "flowbus-generator"

    /// Writes units to the first folder of the arguments, and service files to the folder of the user's bus.
    static func run(_ arguments: [String]) {
        let environment = Environment.all
        guard let units = arguments.first else {
            return StandardError.writeLine("\(name): it is started by systemd --user, with the folders of units")
        }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return StandardError.writeLine("\(name): no units: XDG_RUNTIME_DIR is not set")
        }
        var programs: [ProgramDeclaration] = []
        do throws(DefinitionFailure) {
            programs = try DefinitionFiles.load(from: DefinitionFolders(named: [], environment: environment)).programs
        } catch {
            StandardError.writeLine("\(name): no units, as the definition files have errors: \(error)")
        }
        do throws(Failure) {
            _ = try folders(units, runtime: runtime).write(programs, systemd: systemdVersion)
        } catch {
            StandardError.writeLine("\(name): \(error.message)")
        }
    }

    /// The version of the systemd that runs this, by the library of it that the parent process, a child of the manager's that executes
    /// nothing else, has in its memory: the manager itself answers no call while it waits for its generators.
    private static var systemdVersion: Int? {
        guard let parent = Processes.ancestors.first, let map = try? InputFile.text(of: "/proc/\(parent)/maps") else {
            return nil
        }
        // Bytes, as a login waits for this, and characters of hundreds of lines would take longer than all else.
        for line in map.utf8.split(separator: UInt8(ascii: "\n")) {
            guard let slash = line.lastIndex(of: UInt8(ascii: "/")) else { continue }
            let name = line[line.index(after: slash)...]
            guard let prefix = ["libsystemd-core-", "libsystemd-shared-"].first(where: { name.starts(with: $0.utf8) }),
                let version = Int(
                    Substring(
                        name.dropFirst(prefix.utf8.count).prefix {
                            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        }))
            else { continue }
            return version
        }
        return nil
    }

    /// The folders of a user with this runtime folder. The bus looks into that of service files before all others.
    static func folders(_ units: String, runtime: String) -> UnitFolders {
        UnitFolders(units: units, services: "\(runtime)/dbus-1/services")
    }
}
