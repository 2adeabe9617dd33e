/// A pattern of URLs, and where such a URL leads.
///
/// ```swift
/// let links = [
///     DeepLink("/movies/{id}") { .step(DemoStep.movieIsPicked(withId: try $0["id"])) },
///     DeepLink("demo://settings/{page}") {
///         .path([PathSegment(AppFlow.self, AppStep.settings), PathSegment(SettingsFlow.self, try $0.page())])
///     },
/// ]
/// try await coordinator.open("https://movies.example/movies/23", with: links)
/// ```
///
/// A pattern has the parts of a URL's path. A part in braces takes any value, and gives it a name. A pattern that begins with a slash
/// takes URLs of any scheme and host; one with a scheme takes only URLs of this scheme, and its first part is the host. The items of a
/// URL's query (`?sort=year`) are values, too. A fragment (`#cast`) is the value `#`. A slash at the end makes no difference.
public struct DeepLink: Sendable {
    /// Where a URL leads.
    public enum Destination: Sendable {
        /// To every live flow, as ``FlowCoordinator/navigate(to:)``.
        case step(any Step)
        /// Along a path of flows, as ``FlowCoordinator/navigate(along:timeout:)``.
        case path([PathSegment])
    }

    /// The pattern.
    public let pattern: String
    private let scheme: String?
    private let parts: [Part]
    fileprivate let destination: @FlowActor (URLValues) throws -> Destination

    private enum Part: Hashable {
        case text(String)
        case value(String)
    }

    /// Creates a link. A pattern with a brace that is not a whole part, or with two values of one name, is a programming error, which
    /// ends the program.
    ///
    /// - Parameters:
    ///   - pattern: the pattern.
    ///   - destination: returns where a URL leads. It can throw what ``URLValues`` throws, or other errors, which
    ///     ``FlowCoordinator/open(_:with:)`` throws then.
    public init(_ pattern: String, to destination: @escaping @FlowActor (URLValues) throws -> Destination) {
        self.pattern = pattern
        self.destination = destination
        let address = URLAddress(pattern)
        scheme = address.scheme
        parts = (address.scheme == nil ? address.path : address.hostAndPath).map { part in
            guard part.contains("{") || part.contains("}") else { return .text(String(part)) }
            let name = part.dropFirst().dropLast()
            precondition(
                part.first == "{" && part.last == "}" && !name.isEmpty && !name.contains("{") && !name.contains("}"),
                "the pattern '\(pattern)' has the part '\(part)'; a value is a whole part, such as '{id}'")
            return .value(String(name))
        }
        let names = parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
        precondition(Set(names).count == names.count, "the pattern '\(pattern)' has two values of one name")
    }

    /// Returns the values of a URL; nil if it does not fit the pattern.
    fileprivate func values(of address: URLAddress) throws(NavigationError) -> URLValues? {
        if let scheme, scheme != address.scheme { return nil }
        let path = scheme == nil ? address.path : address.hostAndPath
        guard path.count == parts.count else { return nil }
        var values = try address.query()
        for (part, text) in zip(parts, path) {
            let text = try address.decoded(text)
            switch part {
            case .text(let expected): if text != expected { return nil }
            case .value(let name):
                if text.isEmpty { return nil }
                values[name] = text
            }
        }
        return URLValues(url: address.url, values: values)
    }
}

/// The values that a URL has for a ``DeepLink``.
public struct URLValues: Hashable, Sendable {
    /// The URL.
    public let url: String
    private let values: [String: String]

    fileprivate init(url: String, values: [String: String]) { (self.url, self.values) = (url, values) }

    /// The text of a value; nil if the URL does not have it.
    ///
    /// - Parameter name: the name of the value.
    public func text(_ name: String) -> String? { values[name] }

    /// A value that the URL has to have.
    ///
    /// - Parameter name: the name of the value.
    /// - Throws: ``NavigationError`` with the code `invalidArguments` if the URL does not have the value, or its text is none of the type.
    public subscript<Value: LosslessStringConvertible>(name: String) -> Value {
        get throws(NavigationError) {
            guard let value: Value = try optional(name) else {
                throw NavigationError(
                    .invalidArguments, "the URL '\(url)' has no '\(name)', which has to be \(Value.self)")
            }
            return value
        }
    }

    /// Returns a value that the URL need not have.
    ///
    /// - Parameters:
    ///   - name: the name of the value.
    ///   - type: its type.
    /// - Returns: The value; nil if the URL does not have it.
    /// - Throws: ``NavigationError`` with the code `invalidArguments` if its text is none of the type.
    public func optional<Value: LosslessStringConvertible>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(NavigationError) -> Value? {
        guard let text = values[name] else { return nil }
        guard let value = Value(text) else {
            throw NavigationError(
                .invalidArguments, "the URL '\(url)' has '\(text)' for '\(name)', which has to be \(Value.self)")
        }
        return value
    }
}

/// The parts of a URL, still encoded.
private struct URLAddress {
    let url: String
    /// In lower case; nil if there is none.
    let scheme: String?
    let path: [Substring]
    /// The host, if there is one, and the path.
    let hostAndPath: [Substring]
    private let queryText: Substring?
    private let fragment: Substring?

    init(_ url: String) {
        self.url = url
        var rest = url[...]
        func cut(from mark: Character) -> Substring? {
            guard let place = rest.firstIndex(of: mark) else { return nil }
            defer { rest = rest[..<place] }
            return rest[rest.index(after: place)...]
        }
        fragment = cut(from: "#")
        queryText = cut(from: "?")
        var host: Substring?
        if let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("/") {
            scheme = rest[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
            if rest.hasPrefix("//") {
                rest = rest.dropFirst(2)
                host = rest.prefix { $0 != "/" }
                rest = rest.dropFirst(host?.count ?? 0)
            }
        } else {
            scheme = nil
        }
        var parts = rest.drop { $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        path = parts
        hostAndPath = (host.map { $0.isEmpty ? [] : [$0] } ?? []) + parts
    }

    /// The items of the query, and the fragment.
    func query() throws(NavigationError) -> [String: String] {
        var values: [String: String] = [:]
        for item in (queryText ?? "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[try decoded(pair[0])] = pair.count == 2 ? try decoded(pair[1]) : ""
        }
        if let fragment { values["#"] = try decoded(fragment) }
        return values
    }

    /// Replaces `%20` and the like by the bytes that they stand for.
    func decoded(_ text: Substring) throws(NavigationError) -> String {
        guard text.contains("%") else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(Substring(rest.prefix(2)))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                throw NavigationError(
                    .invalidArguments, "the URL '\(url)' has '%\(digits)'; two hexadecimal digits have to follow a '%'")
            }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw NavigationError(.invalidArguments, "the URL '\(url)' has bytes in '\(text)' that are no UTF-8")
        }
        return decoded
    }
}

extension FlowCoordinator {
    /// Opens a URL, such as one that the system or another program passes to this one.
    ///
    /// - Parameters:
    ///   - url: the URL, or its path.
    ///   - links: the patterns, of which the first that the URL fits decides where it leads.
    /// - Returns: The outcome at each flow.
    /// - Throws: ``NavigationError``: `invalidArguments` for a URL that fits no pattern, or whose values are none of the types; and what
    ///   ``navigate(to:)`` and ``navigate(along:timeout:)`` throw.
    @discardableResult
    public func open(_ url: String, with links: [DeepLink]) async throws -> [FlowOutcome] {
        let address = URLAddress(url)
        for link in links {
            guard let values = try link.values(of: address) else { continue }
            switch try link.destination(values) {
            case .step(let step): return try await navigate(to: step)
            case .path(let path): return try await navigate(along: path)
            }
        }
        let patterns = links.map { "'\($0.pattern)'" }.joined(separator: ", ")
        throw NavigationError(
            .invalidArguments,
            "no deep link takes the URL '\(url)'; " + (links.isEmpty ? "there are none" : "they take \(patterns)"))
    }
}
