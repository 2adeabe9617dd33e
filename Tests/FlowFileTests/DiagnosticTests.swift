import Testing

@testable import FlowFile
