internal import FlowCore

/// Whose names the names of a type are on the bus, where all programs share one tree.
///
/// A program's names are its own: those of its flows, screens and steps begin with its namespace there, as in `Shop_DetailScreen`. So two
/// programs may have a `DetailScreen`, and a step `open`. What several programs, or definition files, have in common says so:
///
/// ```swift
/// @Step
/// enum DeskStep {
///     case open(path: String)
///     static let namespace = BusNamespace.shared
/// }
/// ```
///
/// In one process a namespace has no effect.
public enum BusNamespace: Hashable, Sendable, ExpressibleByStringLiteral {
    /// This program's: the names begin with the ``FlowCoordinator/namespace`` of the coordinator.
    case program
    /// Nobody's: the names stay as they are declared. Definition files have such names.
    case shared
    /// That of a program that is known by this name: the names begin with it, and `_`.
    case named(String)

    /// A namespace of a name.
    ///
    /// - Parameter name: a letter, then letters, digits and `_`.
    public init(stringLiteral name: String) { self = .named(name) }
}

extension BusNamespace {
    /// The word before a name and its `_`; empty for none.
    ///
    /// - Parameter program: that of this program.
    package func prefix(in program: String) -> String {
        switch self {
        case .program: program
        case .shared: ""
        case .named(let name): name
        }
    }

    /// A name with the word before it.
    package static func joined(_ prefix: String, _ name: String) -> String {
        prefix.isEmpty ? name : prefix + "_" + name
    }

    /// Returns why the names of a type can't have its namespace; nil if they can.
    func problem(of type: Any.Type) -> String? {
        guard case .named(let name) = self, let problem = Self.problem(name) else { return nil }
        return "the 'namespace' of '\(StepError.name(of: type))' is '\(problem)"
    }

    /// Returns what is wrong with the name of a namespace, with the name; nil if it can be one.
    package static func problem(_ name: String) -> String? {
        if Names.isPresentableName(name), name.first != "_" { return nil }
        return "\(Names.escaped(name))'; it has to be a letter, then letters, digits and '_', at most 64 bytes"
    }
}
