import FlowCore
import FlowFile

/// The files of a program to begin with: those in `Templates`, which SwiftPM makes a part of this program.
///
/// They are a program named 'hello'. Lines between '# if KIND …' and '# end' are for these kinds alone.
struct Template {
    /// The language and the toolkit.
    enum Kind: String, CaseIterable {
        case gtkPython = "gtk-python"
        case gtkC = "gtk-c"
        case qml
        case swift
    }

    /// A file.
    struct File {
        /// Its path in the folder of the program.
        let path: String
        let text: String
        var isExecutable = false
    }

    /// The files, sorted by path.
    let files: [File]

    /// Makes the files.
    ///
    /// - Throws: ``Failure`` for a name that does not fit.
    init(_ kind: Kind, name: String, busName: String? = nil) throws(Failure) {
        try Self.check(name, kind)
        let capital = name.prefix(1).uppercased() + name.dropFirst()
        let busName = busName ?? "org.example.\(capital)"
        if let problem = BusName.problem(of: busName) { throw Failure(.badValue, problem) }
        let words = Words(name: name, capital: capital, busName: busName)
        files = (Self.common + Self.files(of: kind)).map { file in
            File(
                path: words.replaced(in: file.path), text: words.replaced(in: Self.lines(of: file.text, for: kind)),
                isExecutable: file.isExecutable)
        }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private static var common: [File] {
        [
            File(path: "README.md", text: text(PackageResources.common_README_md)),
            File(path: "flows.d/hello.toml", text: text(PackageResources.common_hello_toml)),
            File(path: "org.example.Hello.service", text: text(PackageResources.common_service)),
            File(path: "test", text: text(PackageResources.common_test), isExecutable: true),
        ]
    }

    private static func files(of kind: Kind) -> [File] {
        switch kind {
        case .gtkPython: [File(path: "hello", text: text(PackageResources.gtk_python_hello), isExecutable: true)]
        case .gtkC:
            [
                File(path: ".gitignore", text: text(PackageResources.gtk_c_gitignore)),
                File(path: "hello.c", text: text(PackageResources.gtk_c_hello_c)),
                File(path: "meson.build", text: text(PackageResources.gtk_c_meson_build)),
            ]
        case .qml:
            [
                File(path: "Hello.qml", text: text(PackageResources.qml_Hello_qml)),
                File(path: "hello", text: text(PackageResources.qml_hello), isExecutable: true),
            ]
        case .swift:
            [
                File(path: ".gitignore", text: text(PackageResources.swift_gitignore)),
                File(path: "Package.swift", text: text(PackageResources.swift_Package_swift)),
                File(path: "Sources/hello/Hello.swift", text: text(PackageResources.swift_Hello_swift)),
            ]
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the lines of a text that are for a kind.
    private static func lines(of text: String, for kind: Kind) -> String {
        var isLeftOut = false
        var kept = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("# if ") {
                isLeftOut = !line.dropFirst(5).split(separator: " ").contains { $0 == kind.rawValue }
            } else if line == "# end" {
                isLeftOut = false
            } else if !isLeftOut {
                kept += line + "\n"
            }
        }
        return kept
    }

    /// Reports a name that can't be that of a program, of a flow and of what a language has.
    private static func check(_ name: String, _ kind: Kind) throws(Failure) {
        let (lowerCase, digits) = (UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"))
        let isValid =
            name.utf8.count <= 32 && name.utf8.first.map(lowerCase.contains) == true
            && name.utf8.allSatisfy { lowerCase.contains($0 | 0x20) || digits.contains($0) }
        guard isValid else {
            throw Failure(
                .badValue,
                "'\(Names.escaped(name))' can't be the name of a program: a lower-case letter, then letters and digits, at most 32 in "
                    + "all, such as 'shop' or 'carRadio'")
        }
        if ["build", "main", "root", "test"].contains(name) {
            throw Failure(.badValue, "'\(name)' has a meaning of its own here; give another name, such as 'shop'")
        }
        if kind == .swift, swiftWords.contains(name) {
            throw Failure(
                .badValue, "'\(name)' is a word of Swift, and can't be the name of a module; give another name")
        }
    }

    /// Source: The Swift Programming Language, "Keywords and Punctuation": those that no module can have as its name.
    private static let swiftWords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in",
        "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try",
        "typealias", "var", "where", "while",
    ]
}

/// What stands in place of the words of the templates.
private struct Words {
    let name: String
    let capital: String
    let busName: String

    /// Returns a text with the bus name in place of 'org.example.Hello', and the name in place of 'hello' and 'Hello'.
    func replaced(in text: String) -> String {
        var replaced = ""
        var rest = text[...]
        while let start = rest.utf8.firstIndex(where: { "ohH".utf8.contains($0) }) {
            replaced += rest[..<start]
            rest = rest[start...]
            let pairs = [("org.example.Hello", busName), ("hello", name), ("Hello", capital)]
            if let (word, other) = pairs.first(where: { rest.hasPrefix($0.0) }) {
                replaced += other
                rest = rest.dropFirst(word.count)
            } else {
                replaced += rest.prefix(1)
                rest = rest.dropFirst()
            }
        }
        return replaced + rest
    }
}
