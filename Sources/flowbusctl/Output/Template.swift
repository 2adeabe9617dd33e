import FlowCore
import FlowFile

/// The files of a program to begin with: those in `Templates`, which SwiftPM makes a part of this program.
///
/// They are a program named 'hello'. Lines between '# if KIND …' and '# end' are for these kinds alone, or for those that such a word
/// stands for.
struct Template {
    /// The language and the toolkit.
    enum Kind: String, CaseIterable {
        case gtkPython = "gtk-python"
        case gtkC = "gtk-c"
        case gjs
        case vala
        case qml
        case swift
        case rust
        case go
        case node
        case python
        case c
        case run

        /// The words by which lines are chosen: its own, that for how it takes part, and 'script' where its program is not built.
        fileprivate var words: Set<String> {
            switch self {
            case .gtkPython, .gjs, .qml: [rawValue, "presenter", "windows", "script"]
            case .gtkC, .vala: [rawValue, "presenter", "windows"]
            case .swift: [rawValue, "presenter"]
            case .node, .python: [rawValue, "lines", "script"]
            case .rust, .go, .c: [rawValue, "lines"]
            case .run: [rawValue, "script"]
            }
        }
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
        if kind == .run, busName != nil {
            throw Failure(
                .usage,
                "--bus-name and --run are given; a command line has no bus name, as flowbus-run shows its screens")
        }
        let busName = busName ?? "org.example.\(capital)"
        if let problem = BusName.problem(of: busName) { throw Failure(.badValue, problem) }
        let words = Words(name: name, capital: capital, busName: busName)
        files = (Self.common + (kind == .run ? [] : Self.started) + Self.files(of: kind)).map { file in
            File(
                path: words.replaced(in: file.path), text: words.replaced(in: Self.lines(of: file.text, for: kind)),
                isExecutable: file.isExecutable)
        }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private static var common: [File] {
        [
            File(path: "README.md", text: text(PackageResources.common_README_md)),
            File(path: "flows.d/hello.toml", text: text(PackageResources.common_hello_toml)),
            File(path: "test", text: text(PackageResources.common_test), isExecutable: true),
        ]
    }

    /// What says how a program with a bus name is started.
    private static var started: [File] {
        [
            File(path: "flows.d/programs.toml", text: text(PackageResources.common_programs)),
            File(path: "org.example.Hello.service", text: text(PackageResources.common_service)),
        ]
    }

    private static func files(of kind: Kind) -> [File] {
        switch kind {
        case .gtkPython: [program(PackageResources.gtk_python_hello)]
        case .gjs: [program(PackageResources.gjs_hello)]
        case .node: [program(PackageResources.node_hello)]
        case .python: [program(PackageResources.python_hello)]
        case .run: [program(PackageResources.run_hello)]
        case .gtkC:
            [
                File(path: ".gitignore", text: text(PackageResources.gtk_c_gitignore)),
                File(path: "hello.c", text: text(PackageResources.gtk_c_hello_c)),
                File(path: "meson.build", text: text(PackageResources.gtk_c_meson_build)),
            ]
        case .vala:
            [
                File(path: ".gitignore", text: text(PackageResources.gtk_c_gitignore)),
                File(path: "hello.vala", text: text(PackageResources.vala_hello_vala)),
                File(path: "meson.build", text: text(PackageResources.vala_meson_build)),
            ]
        case .c:
            [
                File(path: ".gitignore", text: text(PackageResources.gtk_c_gitignore)),
                File(path: "hello.c", text: text(PackageResources.c_hello_c)),
                File(path: "meson.build", text: text(PackageResources.c_meson_build)),
            ]
        case .rust:
            [
                File(path: ".gitignore", text: text(PackageResources.rust_gitignore)),
                File(path: "Cargo.toml", text: text(PackageResources.rust_Cargo_toml)),
                File(path: "src/main.rs", text: text(PackageResources.rust_main_rs)),
            ]
        case .go:
            [
                File(path: ".gitignore", text: text(PackageResources.go_gitignore)),
                File(path: "go.mod", text: text(PackageResources.go_go_mod)),
                File(path: "hello.go", text: text(PackageResources.go_hello_go)),
            ]
        case .qml:
            [
                File(path: "Hello.qml", text: text(PackageResources.qml_Hello_qml)),
                program(PackageResources.qml_hello),
            ]
        case .swift:
            [
                File(path: ".gitignore", text: text(PackageResources.swift_gitignore)),
                File(path: "Package.swift", text: text(PackageResources.swift_Package_swift)),
                File(path: "Sources/hello/Hello.swift", text: text(PackageResources.swift_Hello_swift)),
            ]
        }
    }

    /// A program that is not built.
    private static func program(_ bytes: [UInt8]) -> File { File(path: "hello", text: text(bytes), isExecutable: true) }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the lines of a text that are for a kind.
    private static func lines(of text: String, for kind: Kind) -> String {
        var isLeftOut = false
        var kept = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("# if ") {
                isLeftOut = !line.dropFirst(5).split(separator: " ").contains { kind.words.contains(String($0)) }
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
        if kind == .rust, rustWords.contains(name) {
            throw Failure(
                .badValue, "'\(name)' is a word of Rust or Cargo, and can't be the name of a package; give another name"
            )
        }
    }

    /// Source: The Rust Reference, "Keywords", and the names of folders in which Cargo builds.
    private static let rustWords: Set<String> = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "deps", "do", "dyn",
        "else", "enum", "examples", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "incremental",
        "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
        "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
        "where", "while", "yield",
    ]

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
