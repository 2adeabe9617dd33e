import Glibc
import SdBus
import Testing

@Suite("Node lists")
struct NodeListTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1000])
    func `all nodes are passed on, with NULL at the end`(count: Int) {
        var result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let paths = (0..<count).map { "/node/n\($0)" }
        #expect(NodeList.fill(&result, with: paths) == 0)
        var found: [String] = []
        while let node = result?[found.count] {
            found.append(String(cString: node))
            free(node)
        }
        free(result)
        #expect(found == paths)
    }

    @Test func `nodes that are not passed on are freed`() {
        var list = NodeList()
        for _ in 0..<20 { list.append("/a") }
        #expect(list.finish(into: nil) == 0)
    }
}
