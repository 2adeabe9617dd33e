import Testing

@testable import FlowBus
@testable import FlowBusClient

/// The values of enums that are not CaseIterable, and of no other type.
@Suite struct EnumCasesTests {
    private enum One: CodingKey { case only }
    private enum Two: CodingKey { case first, second }
    private enum Three: String, CodingKey {
        case first = "3"
        case second = "2"
        case third = "1"
    }
    private enum Numbered: Int, CodingKey {
        case ten = 10
        case five = 5
    }
    private enum Generic<Payload> {
        case some(Payload)
        enum Keys: CodingKey { case some, none }
    }

    @Test func theValuesComeInTheOrderOfDeclaration() throws {
        #expect(EnumCases.all(of: One.self) == [.only])
        #expect(EnumCases.all(of: Two.self) == [.first, .second])
        #expect(EnumCases.all(of: Three.self) == [.first, .second, .third])
        #expect(EnumCases.all(of: Three.self)?.map(\.stringValue) == ["3", "2", "1"])
        #expect(EnumCases.all(of: Numbered.self)?.map(\.intValue) == [10, 5])
        #expect(EnumCases.all(of: Generic<String>.Keys.self) == [.some, .none])
        enum Local: CodingKey { case here }
        #expect(EnumCases.all(of: Local.self) == [.here])
    }

    @Test func manyCasesTakeTwoBytes() throws {
        func names<Key: CodingKey>(_ type: Key.Type) -> [String]? { EnumCases.all(of: type)?.map(\.stringValue) }
        #expect(MemoryLayout<Keys256>.size == 1 && MemoryLayout<Keys257>.size == 2)
        #expect(names(Keys255.self) == (0..<255).map { "c\($0)" })
        #expect(names(Keys256.self) == (0..<256).map { "c\($0)" })
        #expect(names(Keys257.self) == (0..<257).map { "c\($0)" })
    }

    // None of these is an enum without payloads, though some have the same layout: one byte, and `nil` after the last
    // value.
    private struct Nothing {}
    private struct OfBool { let bool: Bool }
    private struct OfByte { let byte: UInt8 }
    private struct OfEnum { let two: Two }
    private final class Object {}
    private enum Nobody {}
    private enum SinglePayload {
        case some(Bool)
        case first, second
    }
    private enum TwoPayloads {
        case one(Bool)
        case other(Two)
        case neither
    }
    private enum EmptyPayload {
        case first
        case nothing(Nothing)
        case void(Void)
    }
    private enum ImpossiblePayload {
        case first
        case never(Never)
        case last
    }
    private indirect enum Chain {
        case end
        case link(Chain)
    }

    @Test func nothingElseHasValues() {
        #expect(EnumCases.all(of: Nothing.self) == nil)
        #expect(EnumCases.all(of: OfBool.self) == nil)
        #expect(EnumCases.all(of: OfByte.self) == nil)
        #expect(EnumCases.all(of: OfEnum.self) == nil)
        #expect(EnumCases.all(of: Object.self) == nil)
        #expect(EnumCases.all(of: Nobody.self) == nil)
        #expect(EnumCases.all(of: Never.self) == nil)
        #expect(EnumCases.all(of: SinglePayload.self) == nil)
        #expect(EnumCases.all(of: TwoPayloads.self) == nil)
        #expect(EnumCases.all(of: EmptyPayload.self) == nil)
        #expect(EnumCases.all(of: ImpossiblePayload.self) == nil)
        #expect(EnumCases.all(of: Chain.self) == nil)
        #expect(EnumCases.all(of: LikeC.self) == nil)
        #expect(EnumCases.all(of: LikePlainC.self) == nil)
        #expect(EnumCases.all(of: Two?.self) == nil)
        #expect(EnumCases.all(of: (Two, Two).self) == nil)
        #expect(EnumCases.all(of: Bool.self) == nil)
        #expect(EnumCases.all(of: UInt8.self) == nil)
        #expect(EnumCases.all(of: (any CodingKey).self) == nil)
        #expect(EnumCases.all(of: (() -> Void).self) == nil)
        #expect(EnumCases.all(of: Two.Type.self) == nil)
    }

    private struct Listed: CodingKey, CaseIterable {
        static let allCases = [Listed(stringValue: "home"), Listed(stringValue: "away")]
        let stringValue: String
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        var intValue: Int? { nil }
    }

    @Test func whatTellsItsValuesIsAsked() {
        #expect(EnumCases.all(of: Listed.self)?.map(\.stringValue) == ["home", "away"])
    }

    @Test func enumsAreToldFromOthers() {
        #expect(EnumCases.isEnum(Two.self))
        #expect(EnumCases.isEnum(TwoPayloads.self))
        #expect(EnumCases.isEnum(Generic<Int>.self))
        #expect(!EnumCases.isEnum(OfBool.self))
        #expect(!EnumCases.isEnum(Object.self))
        #expect(!EnumCases.isEnum((Int, Int).self))
    }
}
