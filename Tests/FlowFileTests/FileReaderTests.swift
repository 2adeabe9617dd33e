import FlowCore
import Glibc
import Testing

@testable import FlowFile

@Suite("FileReader")
struct FileReaderTests {
    private func failure(_ path: String, limit: Int = 100) -> FileReader.Failure? {
        do throws(FileReader.Failure) {
            _ = try FileReader.text(of: path, limit: limit)
            return nil
        } catch {
            return error
        }
    }

    private func failure(bytes: [UInt8]) -> FileReader.Failure? {
        do throws(FileReader.Failure) {
            _ = try FileReader.text(of: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a file up to the limit`() throws {
        let folder = try Folder()
        #expect(try FileReader.text(of: folder.write("a", "é€"), limit: 5) == "é€")
        #expect(try FileReader.text(of: folder.write("b", ""), limit: 5) == "")
        #expect(try failure(folder.write("c", "123456"), limit: 5)?.message.contains("at most 5 bytes") == true)
    }

    @Test func `a file whose size is not known in advance`() throws {
        let status = try FileReader.text(of: "/proc/self/status", limit: 1 << 20)
        #expect(status.contains("Name:"))
        #expect(failure("/proc/self/status", limit: 10)?.message.contains("too large") == true)
    }

    @Test func `a special file is refused without waiting`() throws {
        let folder = try Folder()
        mkfifo(folder.path + "/fifo", 0o644)
        #expect(failure(folder.path + "/fifo")?.message == "this is a FIFO; a definition file has to be a regular file")
        #expect(failure(folder.path)?.message.contains("a folder") == true)
        #expect(failure("/dev/zero")?.message.contains("a device") == true)
        #expect(failure(folder.path + "/none")?.message == "the file can't be read: no such file or directory")
    }

    @Test func `a file that may not be read; root may read all`() throws {
        let folder = try Folder()
        let path = try folder.write("a")
        chmod(path, 0)
        let refusal = geteuid() == 0 ? nil : "the file can't be read: permission denied"
        #expect(failure(path)?.message == refusal)
    }

    @Test func `a byte order mark is skipped`() throws {
        #expect(try FileReader.text(of: [0xEF, 0xBB, 0xBF, 0x61]) == "a")
        #expect(failure(bytes: [0xFF, 0xFE, 0x61, 0])?.message == "the file is UTF-16; it has to be UTF-8")
    }

    @Test func `invalid UTF-8 has a location`() {
        let latin = failure(bytes: Array("a\nbé".utf8) + [0xE9, 0x20, 0x61])
        #expect(latin?.line == 2)
        #expect(latin?.column == 3)
        #expect(latin?.message == "the file is not UTF-8: the byte 0xe9 at offset 5 is not part of a character")
        #expect(failure(bytes: [0x61, 0xE2, 0x82])?.message.contains("offset 1") == true)
        #expect(failure(bytes: [0xEF, 0xBB, 0xBF, 0x61, 0xFF])?.message.contains("offset 4") == true)
        #expect(failure(bytes: [0xED, 0xA0, 0x80])?.message.contains("offset 0") == true)
    }
}
