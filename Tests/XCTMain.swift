import Testing

// The entry point of the tests. Without a file of this name, SwiftPM looks for tests of XCTest, of which there are none, in an index of
// all sources.
@main
struct XCTMain {
    static func main() async {
        // `swift test` runs it for XCTest, too.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
