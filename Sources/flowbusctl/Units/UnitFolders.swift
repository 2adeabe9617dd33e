import FlowFile
import Platform

/// The folders that units and D-Bus service files are written to. What an earlier run has written there, and this one does not, goes.
struct UnitFolders {
    /// The folder of units.
    let units: String
    /// The folder of service files.
    let services: String

    /// What starts the programs of the session, beside those that something else starts.
    private static let session = "graphical-session.target.wants"

    /// Writes the files of all programs; the paths that are there then.
    ///
    /// - Parameter systemd: the version of the systemd that reads the units; nil if that is not known.
    /// - Throws: ``Failure`` where a file of somebody else is in the way, before anything is written, or where writing fails.
    func write(_ programs: [ProgramDeclaration], systemd: Int? = nil) throws(Failure) -> [String] {
        let wants = "\(units)/\(Self.session)"
        var files: [(path: String, text: String)] = []
        var links: [(path: String, target: String)] = []
        for program in programs {
            let unit = ProgramUnit(program: program, systemd: systemd)
            files.append(("\(units)/\(unit.name)", unit.text))
            if let text = unit.service { files.append(("\(services)/\(program.name).service", text)) }
            if program.start == .session { links.append(("\(wants)/\(unit.name)", "../\(unit.name)")) }
        }
        for file in files where InputFile.exists(file.path) && !Self.isOwn(file.path) {
            throw Failure(
                .badValue,
                "'\(file.path)' is there, and flowbusctl has not written it; remove it, or name another folder")
        }
        let paths = (files.map(\.path) + links.map(\.path)).sorted()
        do throws(SystemError) {
            if !programs.isEmpty {
                try FileTree.makeFolder(units)
                try FileTree.makeFolder(services)
            }
            if !links.isEmpty { try FileTree.makeFolder(wants) }
            for file in files { try FileTree.replace(file.path, with: file.text) }
            for link in links { try FileTree.link(link.path, to: link.target) }
            for path in try old(wants).filter({ !paths.contains($0) }) { try FileTree.remove(path) }
        } catch {
            throw Failure(
                .inputOutput, "can't write units to '\(units)', and service files to '\(services)': \(error.reason)")
        }
        return paths
    }

    /// Whether an earlier run has written service files.
    var haveServices: Bool { (try? FileTree.names(in: services).contains { Self.isOwn("\(services)/\($0)") }) ?? false }

    /// The paths that an earlier run has written.
    private func old(_ wants: String) throws(SystemError) -> [String] {
        let isUnit = { (name: String) in name.hasPrefix(ProgramUnit.prefix) && name.hasSuffix(".service") }
        let links = try FileTree.names(in: wants).filter(isUnit).map { "\(wants)/\($0)" }
        let files =
            try FileTree.names(in: units).filter(isUnit).map { "\(units)/\($0)" }
            + FileTree.names(in: services).filter { $0.hasSuffix(".service") }.map { "\(services)/\($0)" }
        return links + files.filter(Self.isOwn)
    }

    private static func isOwn(_ path: String) -> Bool {
        (try? InputFile.text(of: path))?.hasPrefix(ServiceFiles.mark) == true
    }
}
