import Foundation

@testable import FlowFile

/// The official test suite of TOML, as Debian has it in golang-github-burntsushi-toml-dev: texts that are valid, each with its
/// values as JSON, and texts that are not.
struct TomlSuite {
    /// A text of the suite.
    struct Case {
        /// Its file without the ending: `valid/array/bool`.
        let name: String
        let text: Result<String, FileReader.Failure>
        /// The values; nil for a text that is invalid.
        let values: Tagged?
    }

    let cases: [Case]

    /// Why there is no suite; nil if there is one.
    static let obstacle: String? =
        FileManager.default.fileExists(atPath: folder + "/valid")
        ? nil : "missing: golang-github-burntsushi-toml-dev, which has the official suite of TOML"

    /// `FLOWBUS_TOML_SUITE` has another version of it.
    private static let folder =
        ProcessInfo.processInfo.environment["FLOWBUS_TOML_SUITE"]
        ?? "/usr/share/gocode/src/github.com/BurntSushi/toml/internal/toml-test/tests"

    init() throws {
        let files = FileManager.default.enumerator(atPath: Self.folder)?.compactMap { $0 as? String } ?? []
        cases = try files.filter { $0.hasSuffix(".toml") && $0.contains("/") }.sorted().map { file in
            let path = Self.folder + "/" + file
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
            let json = String(path.dropLast("toml".count) + "json")
            return Case(
                name: String(file.dropLast(".toml".count)),
                text: Result { () throws(FileReader.Failure) in try FileReader.text(of: bytes) },
                values: file.hasPrefix("valid/") ? try Tagged(json: Data(contentsOf: URL(fileURLWithPath: json))) : nil)
        }
    }
}

/// Values in the notation of the suite: each that is no table and no list has its type beside its text.
indirect enum Tagged: Equatable {
    /// The keys are bytes, as strings of other bytes can be equal in Swift.
    case table([[UInt8]: Tagged])
    case list([Tagged])
    case value(type: String, text: String)

    struct Unknown: Error {}

    init(json: Data) throws { try self.init(JSONSerialization.jsonObject(with: json)) }

    private init(_ json: Any) throws {
        switch json {
        case let list as [Any]: self = .list(try list.map { try Tagged($0) })
        case let value as [String: String] where value.keys.sorted() == ["type", "value"]:
            self = Self.tagged(value["type"] ?? "", value["value"] ?? "")
        case let table as [String: Any]:
            self = .table(
                Dictionary(uniqueKeysWithValues: try table.map { (Array($0.key.utf8), try Tagged($0.value)) }))
        default: throw Unknown()
        }
    }

    /// The values of a text.
    init(_ pairs: [Toml.Pair]) {
        self = .table(Dictionary(uniqueKeysWithValues: pairs.map { (Array($0.key.utf8), Tagged($0.value)) }))
    }

    private init(_ value: Toml) {
        switch value {
        case .string(let text): self = .value(type: "string", text: text)
        case .integer(let number): self = .value(type: "integer", text: "\(number)")
        case .double(let number): self = Self.tagged("float", "\(number)")
        case .bool(let bool): self = .value(type: "bool", text: "\(bool)")
        case .date(let text): self = Self.tagged(Self.type(ofDate: text), text)
        case .list(let values): self = .list(values.map { Tagged($0) })
        case .table(let pairs): self = Tagged(pairs)
        }
    }

    private static func type(ofDate text: String) -> String {
        if text.dropFirst(2).first == ":" { return "time-local" }
        if text.count == 10 { return "date-local" }
        return text.uppercased().hasSuffix("Z") || text.dropFirst(11).contains { "+-".contains($0) }
            ? "datetime" : "datetime-local"
    }

    /// A value whose text can be written in several ways gets one of them.
    private static func tagged(_ type: String, _ text: String) -> Tagged {
        switch type {
        case "float":
            let number = Double(text) ?? .nan
            return .value(type: type, text: number.isNaN ? "nan" : number == 0 ? "0" : "\(number)")
        case "datetime", "datetime-local", "time-local":
            guard let parts = text.wholeMatch(of: /(.*?)(\d\d:\d\d)(:\d\d)?(\.\d+)?([-+]\d\d:\d\d|[Zz])?/) else {
                break
            }
            let date = parts.1.isEmpty ? "" : parts.1.dropLast() + "T"
            let fraction = String((parts.4 ?? "").reversed().drop { $0 == "0" }.reversed())
            let offset = parts.5.map { $0.hasSuffix("00:00") ? "Z" : $0.uppercased() } ?? ""
            return .value(
                type: type,
                text: date + parts.2 + (parts.3 ?? ":00") + (fraction == "." ? "" : fraction) + offset)
        default: break
        }
        return .value(type: type, text: text)
    }
}
