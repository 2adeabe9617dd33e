/// Reads the definition files of some folders repeatedly.
///
/// Unchanged files are not parsed again.
public final class DefinitionReader {
    private let folders: DefinitionFolders
    private var last: Reading?

    /// The texts of a reading, and its result.
    private struct Reading {
        let texts: [DefinitionFiles.FileText]
        let folderDiagnostics: [Diagnostic]
        let result: Result<DefinitionFiles, DefinitionFailure>
    }

    /// Creates a reader.
    public init(_ folders: DefinitionFolders) { self.folders = folders }

    /// Reads and checks all files in their current state.
    ///
    /// - Throws: ``DefinitionFailure`` with all errors.
    public func load() throws(DefinitionFailure) -> DefinitionFiles {
        let (files, problems) = folders.files()
        let texts = DefinitionFiles.read(files)
        let folderDiagnostics = DefinitionFiles.folderDiagnostics(files, problems, folders)
        if let last, last.texts == texts, last.folderDiagnostics == folderDiagnostics { return try last.result.get() }
        let result = Result { () throws(DefinitionFailure) in try DefinitionFiles.check(texts, folderDiagnostics) }
        last = Reading(texts: texts, folderDiagnostics: folderDiagnostics, result: result)
        return try result.get()
    }
}
