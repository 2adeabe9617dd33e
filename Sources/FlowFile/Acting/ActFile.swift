public import FlowCore

/// What `flowbusctl act` plays: programs, and what each of them does when the service calls it.
///
/// Source: `flowbus.act(5)`.
public struct ActFile: Sendable {
    /// The programs, in the order of the file; first the one without a bus name, if there is any.
    public internal(set) var programs: [Program] = []
    /// The file, for later messages about it; nil if the programs come from definitions.
    let source: ParsedFile?
    /// Notes about the file for who writes it: one if it is not TOML 1.0.
    public var notes: [Diagnostic] { source?.notes ?? [] }
    /// The names in the file that definitions have to declare.
    let mentions: [Mention]

    /// A program on a connection of its own.
    public struct Program: Sendable {
        /// The bus name that it owns; nil for none.
        public let name: String?
        /// The paths of its objects. Each has all interfaces.
        public internal(set) var paths: [String]
        /// What it does with the screens of these names. It shows all others at once.
        public internal(set) var screens: [String: Turns<Screen>] = [:]
        /// What it answers where it is called as an application.
        public internal(set) var application: Turns<Screen> = Turns([])
        /// What it answers as a guard, by step. It lets all others through.
        public internal(set) var adaptations: [String: Turns<Adaptation>] = [:]
        /// What it answers as a navigator, by step. It does not take any others.
        public internal(set) var navigations: [String: Navigation] = [:]
        /// Whether it shows every screen that has no presenter, not only those of ``screens``.
        public internal(set) var playsAllScreens = false
        /// Whether another program may own the bus name, and is left alone then.
        public internal(set) var isOptional = false

        init(name: String?, paths: [String]) { (self.name, self.paths) = (name, paths) }

        /// Whether it plays a screen that has no presenter.
        public func plays(screen: String) -> Bool { screens[screen] != nil || name == nil && playsAllScreens }
    }

    /// What happens at each call: the first entry at the first one, and so on. The last one is for all further calls.
    public struct Turns<Value: Sendable>: Sendable {
        private let all: [Value]

        init(_ all: [Value]) { self.all = all }

        /// Returns what happens at a call, counted from 0; nil if nothing is said.
        public func turn(_ number: Int) -> Value? { all.isEmpty ? nil : all[min(number, all.count - 1)] }
    }

    /// What is done with a screen.
    public struct Screen: Sendable {
        /// What the answer to Present waits for.
        public internal(set) var after: Moment?
        /// The answer to Present.
        public internal(set) var answer = Answer.success
        /// What is done after the answer.
        public internal(set) var actions: [Action]
        /// What is done when the screen is in sight again.
        public internal(set) var onReturn: [Action] = []
        /// What is done when the screen has new arguments or another output.
        public internal(set) var onUpdate: [Action] = []
        /// What is done when the screen is evicted.
        public internal(set) var onEvict = [Action(.release)]

        /// A screen whose presenter answers at once; by default, it is also shown at once.
        public init(actions: [Action] = [Action(.show(true))]) { self.actions = actions }
    }

    /// The answer to a call that has no values.
    public enum Answer: Equatable, Sendable {
        /// Success.
        case success
        /// An error.
        case failure(Refusal)
        /// None at all.
        case none
    }

    /// An error as an answer.
    public struct Refusal: Equatable, Sendable {
        /// The name of the D-Bus error.
        public let error: String
        /// Its text.
        public let text: String
    }

    /// What an answer or an action waits for.
    public enum Moment: Equatable, Sendable {
        /// The end of this time, in µs.
        case time(UInt64)
        /// A navigation by this step, of any flow.
        case step(String)
        /// The screen being presented.
        case presented
    }

    /// Something that a program does by itself.
    public struct Action: Equatable, Sendable {
        /// What it waits for.
        public internal(set) var after: Moment?
        /// What is done.
        public let verb: Verb

        /// An action that waits for nothing.
        public init(_ verb: Verb) { self.verb = verb }
    }

    /// What an action does.
    public enum Verb: Equatable, Sendable {
        /// SetVisible.
        case show(Bool)
        /// EmitStep on the screen.
        case emit(String, [Given])
        /// Finish with a result.
        case finish([Given])
        /// Dismiss.
        case dismiss
        /// Release.
        case release
        /// Back, from the screen.
        case back
        /// SaveState.
        case save([Given])
        /// SetTitle.
        case title(Given)
        /// Touch.
        case touch
        /// The connection ends.
        case crash(Restart)
        /// The program answers nothing for this time in µs, or ever again (nil).
        case freeze(UInt64?)
    }

    /// What follows on a crash.
    public enum Restart: Equatable, Sendable {
        /// Another connection owns the name as soon as this one ends, as if the bus had started the program again.
        case atOnce
        /// Another connection owns the name after this time in µs.
        case after(UInt64)
        /// The program is gone.
        case never
    }

    /// A value that is given to an argument.
    public struct Given: Equatable, Sendable {
        /// The argument.
        public let name: String
        let source: Source

        enum Source: Equatable, Sendable {
            case literal(Toml)
            /// The argument of the screen or of the step with this name.
            case reference(String)
        }

        /// Returns the value; nil if it refers to an argument that is not there.
        ///
        /// - Parameters:
        ///   - type: the declared type, if it is known. Otherwise the value has the type that it has in the file.
        ///   - arguments: the arguments of the screen or of the step.
        public func value(as type: ValueType?, from arguments: Arguments) -> Value? {
            switch source {
            case .reference(let name): return arguments[name]?.value
            case .literal(let toml):
                if let type, let value = try? Literal.value(toml, as: type) { return value }
                return ValueType(signature: "v").flatMap { try? Literal.value(toml, as: $0) }
            }
        }
    }

    /// The answer of a guard.
    public struct Adaptation: Sendable {
        /// A step that the guard emits first, on the parent of the flow.
        public let emission: Emission?
        /// What the answer waits for.
        public let after: Moment?
        /// The answer.
        public let answer: Kind

        /// The kinds of answers.
        public enum Kind: Equatable, Sendable {
            /// The same step.
            case pass
            /// Another step.
            case replacement(String, [Given])
            /// The error Rejected with this text.
            case rejection(String)
            /// Another error.
            case failure(Refusal)
            /// None at all.
            case none
        }
    }

    /// A step that a guard emits.
    public struct Emission: Equatable, Sendable {
        /// The step.
        public let step: String
        /// Its arguments, which may refer to those of the step that the guard is asked about.
        public let arguments: [Given]
    }

    /// The answer of a navigator.
    public struct Navigation: Sendable {
        /// What the answer waits for.
        public let after: Moment?
        /// The answer.
        public let answer: Kind

        /// The kinds of answers.
        public enum Kind: Sendable {
            /// What the step leads to.
            case contributors([Contributor])
            /// The flow does not take the step.
            case unhandled
            /// An error.
            case failure(Refusal)
            /// None at all.
            case none
        }
    }

    /// A contributor of a navigator.
    public struct Contributor: Sendable {
        /// Its kind.
        public let kind: String
        /// Its name; empty for some kinds.
        public let name: String
        /// Its options.
        public let options: [Option]
    }

    /// An option of a contributor.
    public enum Option: Sendable {
        /// A value that stands in the file.
        case value(String, Value)
        /// Arguments, which may refer to those of the step.
        case arguments(String, [Given])
    }
}

extension ActFile {
    /// The name of an error without a name of its own.
    static let usualError = "org.freedesktop.DBus.Error.Failed"

    /// Reads and checks a file.
    ///
    /// - Throws: ``DefinitionFailure`` with all errors.
    public static func load(_ path: String) throws(DefinitionFailure) -> ActFile {
        let text = Result { () throws(FileReader.Failure) in try FileReader.text(of: path, as: "an act file") }
        return try check(path, text)
    }

    /// Checks a text that was read, or could not be.
    static func check(
        _ file: String, _ text: Result<String, FileReader.Failure>
    ) throws(DefinitionFailure) -> ActFile {
        let source: ParsedFile
        do throws(FileReader.Failure) {
            source = ParsedFile(file: file, toml: try TomlSource(checked: text.get()))
        } catch {
            let problem = Diagnostic(
                .error, file: file, line: error.line, column: error.column, message: error.message)
            throw DefinitionFailure(diagnostics: [problem], notes: [], files: [file])
        }
        let reader = ActReader(source)
        reader.read()
        let diagnostics = DefinitionFiles.sort(reader.diagnostics.all, [file])
        if reader.diagnostics.hasErrors {
            throw DefinitionFailure(diagnostics: diagnostics, notes: source.notes, files: [file])
        }
        var act = ActFile(source: source, mentions: reader.mentions)
        act.programs = reader.programs
        return act
    }
}
