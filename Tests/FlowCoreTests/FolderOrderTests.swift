import Foundation
import Testing

/// A file of FlowCore names types of its own folder and of those above it in the list of docs/architecture.md, and none of those below.
@Suite("Order of the folders")
struct FolderOrderTests {
    /// What docs/architecture.md says why.
    private static let exceptions: Set = ["Values: Limits", "Records: RecordSet"]

    private let order: [String]

    init() throws {
        order = try Documented.rows(after: "| folder | what it has |").flatMap { Documented.names(in: $0[0]) }
    }

    @Test func `the list names each folder once`() throws {
        #expect(order.sorted() == Set(try CoreFile.all.map(\.folder)).sorted())
    }

    @Test func `no file names a type of a folder below`() throws {
        let files = try CoreFile.all
        var folders: [Substring: String] = [:]
        for file in files { for type in file.types { folders[type] = file.folder } }
        #expect(folders.count > 150)
        for file in files where !file.name.hasPrefix("Machine+") {
            let place = try #require(order.firstIndex(of: file.folder))
            let inner = Set(file.innerTypes)
            for name in Set(file.code.matches(of: #/(^|[^.A-Za-z0-9])([A-Z][A-Za-z0-9]*)/#).map(\.output.2)) {
                guard let folder = folders[name], !inner.contains(name) else { continue }
                if Self.exceptions.contains("\(file.folder): \(name)") { continue }
                let isAbove = order.firstIndex(of: folder).map { $0 <= place } ?? false
                #expect(isAbove, "\(file.folder)/\(file.name) names \(name), a type of \(folder)")
            }
        }
    }
}
