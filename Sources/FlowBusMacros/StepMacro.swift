#if Macros
    import SwiftDiagnostics
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// `@Step`: the names and the arguments of an enum's cases, for the bus.
    enum StepMacro: MemberMacro, ExtensionMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            guard declaration.is(EnumDeclSyntax.self) else {
                throw Problem.at(
                    node, "'@Step' is for an enum, whose cases are the steps: 'enum AppStep { case home }'")
            }
            guard !protocols.isEmpty else { return [] }
            return [try ExtensionDeclSyntax("extension \(type.trimmed): FlowBus.BusStep {}")]
        }

        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
            conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            guard let steps = declaration.as(EnumDeclSyntax.self) else { return [] }
            if let generics = steps.genericParameterClause {
                throw Problem.at(
                    generics, "steps that go over the bus have one name each, so their enum can't be generic")
            }
            let cases = try cases(of: steps)
            guard !cases.isEmpty else {
                throw Problem.at(steps.name, "'\(steps.name.plainName)' has no case, so there is no step")
            }
            // What names a deprecated case is deprecated, too: then that is no warning. Whoever uses it by way of BusStep has none.
            let mark = cases.contains(where: \.isDeprecated) ? "@available(*, deprecated)\n" : ""
            return members(cases, mark + steps.access(in: context)) + keys(of: cases, in: steps)
        }

        /// Declares the keys that the enum does not. A macro sees no extensions: where keys stand in one, the compiler finds them
        /// declared twice. Where the enum is `Codable`, they are those that it would have anyway.
        private static func keys(of cases: [Case], in steps: EnumDeclSyntax) -> [DeclSyntax] {
            var names: Set<String> = ["CodingKeys"]
            var keys =
                steps.declares("CodingKeys") ? [] : [DeclSyntax.codingKeys("CodingKeys", cases.map(\.identifier))]
            for step in cases where !step.arguments.isEmpty && names.insert(step.keysName).inserted {
                guard !steps.declares(step.keysName) else { continue }
                keys.append(.codingKeys(step.keysName, step.arguments.map(\.identifier)))
            }
            return keys
        }

        private static func members(_ cases: [Case], _ access: String) -> [DeclSyntax] {
            let declared = cases.map(\.declaration).joined(separator: ",\n        ")
            let names = cases.map { "case .\($0.identifier): \($0.name.literal)" }.joined(separator: "\n        ")
            let encoding = cases.map(\.encoding).joined(separator: "\n        ")
            let decoding = cases.map(\.decoding).joined(separator: "\n        ")
            return [
                """
                \(raw: access)static var stepCases: [FlowBus.StepCase] {
                    [
                        \(raw: declared)
                    ]
                }
                """,
                """
                \(raw: access)var caseName: String {
                    switch self {
                        \(raw: names)
                    }
                }
                """,
                """
                \(raw: access)func encode(to encoder: inout FlowBus.StepEncoder) throws(FlowBus.StepError) {
                    switch self {
                        \(raw: encoding)
                    }
                }
                """,
                """
                \(raw: access)init?(caseName: String, from decoder: FlowBus.StepDecoder) throws(FlowBus.StepError) {
                    switch caseName {
                        \(raw: decoding)
                    default: return nil
                    }
                }
                """,
            ]
        }

        // MARK: Cases

        /// A case with its name on the bus.
        private struct Case {
            let identifier: String
            let name: String
            let arguments: [Argument]
            let keysName: String
            let isDeprecated: Bool

            var declaration: String {
                let parameters = arguments.map { "FlowBus.StepParameter(\($0.name.literal), (\($0.type)).self)" }
                return "FlowBus.StepCase(\(name.literal)"
                    + (parameters.isEmpty ? "" : ", [" + parameters.joined(separator: ", ") + "]") + ")"
            }

            var encoding: String {
                guard !arguments.isEmpty else { return "case .\(identifier): break" }
                let places = arguments.indices.map { "let a\($0)" }.joined(separator: ", ")
                let lines = arguments.enumerated().map {
                    "try encoder.encode(a\($0.offset), for: \($0.element.name.literal))"
                }
                return "case .\(identifier)(\(places)):\n            " + lines.joined(separator: "\n            ")
            }

            var decoding: String {
                guard !arguments.isEmpty else { return "case \(name.literal): self = .\(identifier)" }
                let values = arguments.map { argument in
                    (argument.label.map { "\($0): " } ?? "")
                        + "try decoder.decode((\(argument.type)).self, for: \(argument.name.literal))"
                }
                return "case \(name.literal):\n            self = .\(identifier)(\(values.joined(separator: ", ")))"
            }
        }

        private struct Argument {
            /// nil for a value without a label.
            let label: String?
            /// The label, or what `Codable` calls a value without one.
            let identifier: String
            let name: String
            let type: String
        }

        private static func cases(of steps: EnumDeclSyntax) throws -> [Case] {
            let names = steps.codingKeys("CodingKeys")
            var cases: [Case] = []
            for member in steps.memberBlock.members {
                if let condition = member.decl.as(IfConfigDeclSyntax.self), condition.containsCases {
                    throw Problem.at(
                        condition, "'@Step' can't see which of the cases inside #if there are; move them out")
                }
                // An unavailable case can't be made, and no value of the enum is one.
                guard let line = member.decl.as(EnumCaseDeclSyntax.self), !line.attributes.say("unavailable") else {
                    continue
                }
                let isDeprecated = line.attributes.say("deprecated")
                for element in line.elements {
                    let identifier = element.name.plainName
                    let name = names.map { $0[identifier] } ?? identifier
                    guard let name else {
                        throw Problem.at(
                            element.name, "the case '\(identifier)' is missing in CodingKeys, which names the steps")
                    }
                    if let problem = BusName.problem(step: name) { throw Problem.at(element.name, problem) }
                    if let first = cases.first(where: { $0.name == name }) {
                        throw Problem.at(
                            element.name,
                            first.identifier == identifier
                                ? "two cases are named '\(name)', which would be one step; rename one"
                                : "the cases '\(first.identifier)' and '\(identifier)' are both the step '\(name)'")
                    }
                    cases.append(
                        Case(
                            identifier: element.name.text, name: name, arguments: try arguments(of: element, in: steps),
                            keysName: keysName(of: identifier), isDeprecated: isDeprecated))
                }
            }
            return cases
        }

        private static func arguments(of element: EnumCaseElementSyntax, in steps: EnumDeclSyntax) throws -> [Argument]
        {
            guard let parameters = element.parameterClause?.parameters else { return [] }
            let identifier = element.name.plainName
            let keys = steps.codingKeys(keysName(of: identifier))
            var arguments: [Argument] = []
            for (place, parameter) in parameters.enumerated() {
                let label = parameter.firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0 }
                let own = label?.plainName ?? "_\(place)"
                let name = keys.map { $0[own] } ?? own
                guard let name else {
                    throw Problem.at(parameter, "the argument '\(own)' is missing in the CodingKeys of the case")
                }
                if let problem = BusName.problem(argument: name, of: "an argument") {
                    throw Problem.at(parameter, problem)
                }
                if arguments.contains(where: { $0.name == name }) {
                    throw Problem.at(parameter, "two arguments of the case '\(identifier)' are named '\(name)'")
                }
                arguments.append(
                    Argument(
                        label: label?.asArgumentLabel, identifier: label?.text ?? own, name: name,
                        type: parameter.type.trimmedDescription))
            }
            return arguments
        }

        /// The name that `Codable` looks for.
        private static func keysName(of identifier: String) -> String {
            identifier.prefix(1).uppercased() + identifier.dropFirst() + "CodingKeys"
        }
    }

    extension AttributeListSyntax {
        /// Whether an `@available` says a word for all versions.
        fileprivate func say(_ word: String) -> Bool {
            contains { attribute in
                guard case .attribute(let attribute) = attribute,
                    attribute.attributeName.trimmedDescription == "available",
                    case .availability(let arguments)? = attribute.arguments
                else { return false }
                let words = arguments.map { $0.argument.trimmedDescription }
                return words.first == "*" && words.contains(word)
            }
        }
    }

    extension IfConfigDeclSyntax {
        /// Whether cases of an enum stand inside.
        fileprivate var containsCases: Bool {
            clauses.contains { clause in
                guard case .decls(let members)? = clause.elements else { return false }
                return members.contains { member in
                    member.decl.is(EnumCaseDeclSyntax.self)
                        || member.decl.as(IfConfigDeclSyntax.self)?.containsCases == true
                }
            }
        }
    }
#endif
