import Glibc
import Platform
import Testing

@Suite("Files")
struct FilesTests {
    @Test func `a file is written and read`() throws {
        var template = Array("/tmp/flowbus-platform-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        #expect(descriptor >= 0)
        close(descriptor)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        let file = try OutputFile(path)
        try file.write("one\n")
        try file.write("two\n")
        #expect(try InputFile.text(of: path) == "one\ntwo\n")
        #expect(InputFile.exists(path))
    }

    @Test func `a missing file is an error`() {
        let error = #expect(throws: SystemError.self) { try InputFile.text(of: "/nonexistent/file") }
        #expect(error?.isMissing == true)
        #expect(error?.description == "open: No such file or directory")
        #expect(!InputFile.exists("/nonexistent/file"))
    }
}
