/// Reads the definition files of some folders, again and again.
///
/// Files that are as they were are not parsed again: the parser gives back only part of the memory that it takes, so who
/// asks often would make the process grow.
public final class DefinitionReader {
    private let folders: DefinitionFolders
    private var last: Reading?

    /// What was read, and what came of it.
    private struct Reading {
        let texts: [DefinitionFiles.Text]
        let folderDiagnostics: [Diagnostic]
        let result: Result<DefinitionFiles, DefinitionFailure>
    }

    /// Reads these folders, as often as ``load()`` is called.
    public init(_ folders: DefinitionFolders) { self.folders = folders }

    /// Reads and checks all files, as they are now.
    ///
    /// - Throws: everything that is wrong, at once.
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
