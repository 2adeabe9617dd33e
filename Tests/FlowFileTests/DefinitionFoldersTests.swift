import Glibc
import Testing

@testable import FlowFile

@Suite("DefinitionFolders")
struct DefinitionFoldersTests {
    @Test func `the standard folders`() {
        #expect(
            DefinitionFolders(environment: ["HOME": "/home/x", "XDG_CONFIG_HOME": "/cfg"]).paths
                == ["/cfg/flowbus/flows.d", "/etc/flowbus/flows.d", "/usr/share/flowbus/flows.d"])
        #expect(DefinitionFolders(environment: ["HOME": "/home/x"]).paths[0] == "/home/x/.config/flowbus/flows.d")
        #expect(DefinitionFolders(environment: [:]).paths.count == 2)
    }

    @Test(arguments: ["", "relative"])
    func `a folder of the user that is ignored`(config: String) {
        let folders = DefinitionFolders(environment: ["HOME": "/home/x", "XDG_CONFIG_HOME": config])
        #expect(folders.paths[0] == "/home/x/.config/flowbus/flows.d")
    }

    @Test func `named folders replace the standard ones`() {
        let folders = DefinitionFolders(named: ["/b", "/a"], environment: ["HOME": "/h"])
        #expect(folders == DefinitionFolders(named: ["/b/", "/a"]))
        #expect(folders.areNamed)
        #expect(!DefinitionFolders(named: [], environment: ["HOME": "/h"]).areNamed)
    }

    @Test func `name order, and a file hides those of its name`() throws {
        let folder = try Folder()
        for name in ["1/b.toml", "1/.hidden.toml", "1/c.txt", "2/a.toml", "2/b.toml", "2/B.toml", "2/toml"] {
            try folder.write(name)
        }
        let files = DefinitionFolders(named: [folder.path + "/1", folder.path + "/2"]).files()
        #expect(files.paths == ["2/B.toml", "2/a.toml", "1/b.toml"].map { folder.path + "/" + $0 })
        #expect(files.problems.isEmpty)
    }

    @Test func `a link to the null device masks a file`() throws {
        let folder = try Folder()
        try folder.write("1/z.toml")
        try folder.write("2/a.toml")
        try folder.write("2/b.toml")
        symlink("/dev/null", folder.path + "/1/a.toml")
        symlink("a.toml", folder.path + "/1/b.toml")
        symlink("nowhere", folder.path + "/1/dangling.toml")
        let files = DefinitionFolders(named: [folder.path + "/1", folder.path + "/2"]).files().paths
        #expect(files == [folder.path + "/1/dangling.toml", folder.path + "/1/z.toml"])
    }

    @Test func `named folders have to be there`() throws {
        let folder = try Folder()
        let file = try folder.write("file")
        let problems = DefinitionFolders(named: [folder.path, folder.path + "/none", file]).files().problems
        #expect(
            problems.map(\.description) == [
                "\(folder.path)/none: error: the folder can't be read: no such file or directory",
                "\(file): error: the folder can't be read: it is a file; name the folder that it is in, '\(folder.path)'",
            ])
    }

    @Test func `standard folders may be missing`() throws {
        let folder = try Folder()
        try folder.write("etc/flowbus/flows.d/a.toml")
        let folders = DefinitionFolders(
            environment: ["HOME": "/dev/null"], systemPrefixes: [folder.path + "/none", folder.path + "/etc"])
        #expect(folders.files().paths == [folder.path + "/etc/flowbus/flows.d/a.toml"])
        #expect(folders.files().problems.isEmpty)
    }

    @Test func `a standard folder that is a file is reported`() throws {
        let folder = try Folder()
        try folder.write("flowbus/flows.d")
        let problems = DefinitionFolders(environment: [:], systemPrefixes: [folder.path]).files().problems
        #expect(problems.count == 1)
    }
}
