public import FlowCore

/// The definition files of several folders, read and checked together.
///
/// ```swift
/// do throws(DefinitionFailure) {
///     let loaded = try DefinitionFiles.load(from: DefinitionFolders(named: options.flows, environment: environment))
///     for warning in loaded.warnings { print(warning) }
///     start(loaded.definitions)
/// } catch {
///     for diagnostic in error.diagnostics { print(diagnostic) }
/// }
/// ```
///
/// Source: `flowbus.flows(5)`.
public struct DefinitionFiles: Sendable {
    /// The checked definitions.
    public let definitions: Definitions
    /// The programs of the device, sorted by name.
    public let programs: [ProgramDeclaration]
    /// Warnings about valid definitions that are probably not intended; in the order of ``files``, then of lines.
    public let warnings: [Diagnostic]
    /// Notes for who writes the files, and no one else: a file that is not TOML 1.0 has one. In the order of ``files``.
    public let notes: [Diagnostic]
    /// The paths of the files that were read, in order.
    public let files: [String]

    /// A summary in one line: `2 files: 1 flow, 3 screens, 4 steps; no errors, 1 warning`.
    public var summary: String {
        func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return counted(files.count, "file") + ": " + counted(definitions.flows.count, "flow") + ", "
            + counted(definitions.screens.count, "screen") + ", " + counted(definitions.steps.count, "step")
            + "; no errors, " + counted(warnings.count, "warning")
    }

    /// Reads and checks all files of some folders.
    ///
    /// - Parameters:
    ///   - folders: the folders.
    ///   - services: the programs that a bus of this machine can start; with it, applications among others are a warning.
    /// - Throws: ``DefinitionFailure`` with all errors.
    public static func load(
        from folders: DefinitionFolders, services: ServiceFiles? = nil
    ) throws(DefinitionFailure) -> DefinitionFiles {
        let (files, problems) = folders.files()
        return try check(read(files), folderDiagnostics(files, problems, folders), services: services)
    }

    /// Reads the definitions that the service returns as one text (`GetDefinitions`, ``FlowCore/Definitions/fileText(hidesPrivateValues:limit:)``).
    ///
    /// Unlike in a file, bus names may be unique ones there: those of clients that registered a flow.
    ///
    /// - Throws: everything that is wrong, at once.
    public static func definitions(in text: String) throws(DefinitionFailure) -> Definitions {
        let text = FileText(file: "GetDefinitions", text: .success(text))
        return try check([text], isOfService: true).definitions
    }

    /// A file and its text, or why it has none.
    struct FileText: Equatable {
        let file: String
        let text: Result<String, FileReader.Failure>
    }

    /// Reads the files, up to the limit of their total size.
    static func read(_ files: [String]) -> [FileText] {
        var texts: [FileText] = []
        var bytes = 0
        for file in files {
            let text = Result { () throws(FileReader.Failure) in try FileReader.text(of: file) }
            if case .success(let text) = text { bytes += text.utf8.count }
            guard bytes <= Limits.definitionBytes else {
                let message =
                    "with this file the definition files are too large; at most \(Limits.definitionBytes) bytes are "
                    + "allowed in all"
                texts.append(FileText(file: file, text: .failure(FileReader.Failure(message: message))))
                break
            }
            texts.append(FileText(file: file, text: text))
        }
        return texts
    }

    /// Returns errors and warnings about the folders.
    static func folderDiagnostics(
        _ files: [String], _ problems: [Diagnostic], _ folders: DefinitionFolders
    ) -> [Diagnostic] {
        guard files.isEmpty, problems.isEmpty else { return problems }
        let paths = Text.list(folders.paths, "or")
        return [Diagnostic(.warning, file: "", message: "there are no definition files in \(paths)")]
    }

    /// Checks texts that were read, or could not be; `folderDiagnostics` are about the folders that the texts came from.
    static func check(
        _ texts: [FileText], _ folderDiagnostics: [Diagnostic] = [], isOfService: Bool = false,
        services: ServiceFiles? = nil
    ) throws(DefinitionFailure) -> DefinitionFiles {
        var sources: [ParsedFile] = []
        var early = folderDiagnostics
        for text in texts {
            do throws(FileReader.Failure) {
                sources.append(ParsedFile(file: text.file, toml: try TomlSource(checked: text.text.get())))
            } catch {
                early.append(
                    Diagnostic(.error, file: text.file, line: error.line, column: error.column, message: error.message))
            }
        }
        let isComplete = !early.contains { $0.severity == .error }
        let diagnostics = Diagnostics(sources, early)
        let resolver = Resolver(Draft(diagnostics, isComplete: isComplete), isOfService: isOfService)
        resolver.services = services
        let definitions = resolver.definitions()

        let files = texts.map(\.file)
        let notes = sources.flatMap(\.notes)
        var sorted = sort(diagnostics.all, files)
        if diagnostics.leftOut > 0 {
            let severity: Diagnostic.Severity = diagnostics.hasErrors ? .error : .warning
            sorted.append(Diagnostic(severity, file: "", message: "\(diagnostics.leftOut) more are left out"))
        }
        if diagnostics.hasErrors { throw DefinitionFailure(diagnostics: sorted, notes: notes, files: files) }
        return DefinitionFiles(
            definitions: definitions, programs: resolver.declaredPrograms, warnings: sorted, notes: notes, files: files)
    }

    /// Sorts diagnostics: those without a file first, then by file in the order of reading, then by line, and then by
    /// all else, so that the order is always the same.
    static func sort(_ diagnostics: [Diagnostic], _ files: [String]) -> [Diagnostic] {
        var places: [String: Int] = [:]
        for (place, file) in files.enumerated() { places[file] = place }
        return diagnostics.sorted { one, other in
            let here = (places[one.file] ?? -1, one.line ?? 0, one.column ?? 0)
            let there = (places[other.file] ?? -1, other.line ?? 0, other.column ?? 0)
            if here != there { return here < there }
            if one.file != other.file { return Text.precedes(one.file, other.file) }
            if one.place != other.place { return Text.precedes(one.place, other.place) }
            return Text.precedes(one.message, other.message)
        }
    }
}

/// An error for definition files that can't be used.
public struct DefinitionFailure: Error, Sendable {
    /// All errors and warnings, in the order of ``files``, then of lines.
    public let diagnostics: [Diagnostic]
    /// Notes about files that could be parsed, as in ``DefinitionFiles/notes``.
    public let notes: [Diagnostic]
    /// The paths of the files that were found, in order, including unreadable ones.
    public let files: [String]
}

/// A description in one line, for a caller of `Reload`.
extension DefinitionFailure: CustomStringConvertible {
    /// The first error, and the number of others.
    public var description: String {
        let errors = diagnostics.filter { $0.severity == .error }
        guard let first = errors.first else { return "the definition files can't be used" }
        return errors.count == 1 ? first.description : "\(first) (and \(errors.count - 1) more)"
    }
}
