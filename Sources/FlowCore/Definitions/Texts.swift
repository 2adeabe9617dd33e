/// What people read of a flow, a screen or a step (S-58).
public struct Texts: Hashable, Sendable {
    /// A short text, such as a window has in its title; nil if there is none.
    public let title: LocalizedText?
    /// A sentence or two, for those who choose what to do; nil if there are none.
    public let description: LocalizedText?

    /// Creates texts.
    public init(title: LocalizedText? = nil, description: LocalizedText? = nil) {
        (self.title, self.description) = (title, description)
    }
}

/// A text in one language or several. `${NAME}` in it stands for an argument.
public struct LocalizedText: Hashable, Sendable {
    /// The text in a language.
    public struct Version: Hashable, Sendable {
        /// The language, such as `de` or `pt-BR`; empty if the text has only one version.
        public let language: String
        /// The text.
        public let text: String

        /// Creates a version.
        public init(_ language: String, _ text: String) { (self.language, self.text) = (language, text) }
    }

    /// The versions, at least one, in the order of the file.
    public let versions: [Version]

    /// Creates a text.
    public init(_ versions: [Version]) { self.versions = versions }

    /// Creates a text for all languages.
    public init(_ text: String) { self.init([Version("", text)]) }

    /// The text for who reads this language: in it, or in it without its region, or else in English, or in the first one.
    ///
    /// - Parameters:
    ///   - language: the language, as a tag of BCP 47 or a POSIX locale, such as `de-AT` or `de_AT.UTF-8`.
    ///   - arguments: what `${NAME}` stands for. A private argument is shown as `(private)`, and one that was left out as nothing.
    public func text(in language: String, _ arguments: Arguments) -> String {
        let wanted = Self.tag(language)
        let wide = wanted.prefix { $0 != "-" }
        func version(_ tag: some StringProtocol) -> Version? { versions.first { Self.tag($0.language) == tag } }
        let version = version(wanted) ?? version(wide) ?? version("en") ?? versions.first
        return version.map { Self.filled($0.text, arguments) } ?? ""
    }

    /// A language without what differs between spellings.
    private static func tag(_ language: String) -> String {
        language.prefix { $0 != "." && $0 != "@" }.lowercased().split(separator: "_").joined(separator: "-")
    }

    private static func filled(_ text: String, _ arguments: Arguments) -> String {
        guard text.contains("${") else { return text }
        return parts(of: text).reduce(into: "") { filled, part in
            switch part {
            case .text(let text): filled += text
            case .reference(let name):
                guard let argument = arguments[name] else { return }
                filled += argument.isPrivate ? "(private)" : argument.value.description
            }
        }
    }

    /// A part of a text.
    public enum Part: Equatable, Sendable {
        /// Characters that stand for themselves.
        case text(String)
        /// `${NAME}`
        case reference(String)
    }

    /// The parts of a text, in order. `$${` stands for `${`.
    public static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        var plain = ""
        while let dollar = rest.firstIndex(of: "$") {
            plain += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                plain += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") {
                if !plain.isEmpty { parts.append(.text(plain)) }
                plain = ""
                parts.append(.reference(String(rest.dropFirst(2)[..<end])))
                rest = rest[rest.index(after: end)...]
            } else {
                plain += "$"
                rest = rest.dropFirst()
            }
        }
        plain += rest
        if !plain.isEmpty { parts.append(.text(plain)) }
        return parts
    }
}
