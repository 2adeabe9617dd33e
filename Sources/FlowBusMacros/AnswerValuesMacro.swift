#if Macros
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// `@AnswerValues`: the names and the types of a struct's properties, for the bus.
    enum AnswerValuesMacro: MemberMacro, ExtensionMacro {
        static func expansion(
            of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
            providingExtensionsOf type: some TypeSyntaxProtocol,
            conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
        ) throws -> [ExtensionDeclSyntax] {
            guard declaration.is(StructDeclSyntax.self) else {
                throw Problem.at(
                    node, "'@AnswerValues' is for a struct, whose properties are the values of the answer")
            }
            guard !protocols.isEmpty else { return [] }
            return [try ExtensionDeclSyntax("extension \(type.trimmed): FlowBus.AnswerValues {}")]
        }

        static func expansion(
            of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
            conformingTo protocols: [TypeSyntax],
            in context: some MacroExpansionContext
        ) throws -> [DeclSyntax] {
            guard let answer = declaration.as(StructDeclSyntax.self) else { return [] }
            if let generics = answer.genericParameterClause {
                throw Problem.at(generics, "an answer that goes over the bus has one type, so it can't be generic")
            }
            let properties = try properties(of: answer)
            let values = properties.map { "FlowBus.StepParameter(\($0.name.literal), (\($0.type)).self)" }
            // As those of steps. `Codable` would declare the same ones.
            let needsKeys = !answer.declares("CodingKeys") && !properties.isEmpty
            let keys = needsKeys ? [DeclSyntax.codingKeys("CodingKeys", properties.map(\.name))] : []
            return keys + [
                """
                \(raw: answer.access(in: context))static var answerValues: [FlowBus.StepParameter] {
                    [\(raw: values.joined(separator: ", "))]
                }
                """
            ]
        }

        private static func properties(of answer: StructDeclSyntax) throws -> [(name: String, type: String)] {
            let names = answer.codingKeys("CodingKeys")
            var properties: [(name: String, type: String)] = []
            for member in answer.memberBlock.members {
                if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                    throw Problem.at(
                        condition,
                        "'@AnswerValues' can't see which of the properties inside #if there are; move them out")
                }
                guard let line = member.decl.as(VariableDeclSyntax.self), !line.isStatic else { continue }
                // `var a, b: Int` gives both the type that stands last.
                var type: String?
                for binding in line.bindings.reversed() {
                    if let annotation = binding.typeAnnotation {
                        type = annotation.type.trimmedDescription
                    } else if binding.initializer != nil {
                        type = nil
                    }
                    guard binding.isStored, let identifier = binding.pattern.as(IdentifierPatternSyntax.self) else {
                        continue
                    }
                    let own = identifier.identifier.plainName
                    // As with Codable, CodingKeys leave out what is not coded.
                    guard let name = names.map({ $0[own] }) ?? own else { continue }
                    guard let type else {
                        throw Problem.at(
                            binding, "'@AnswerValues' needs the type of '\(own)' in the source: '\(own): Int'")
                    }
                    if let problem = BusName.problem(argument: name, of: "a value") {
                        throw Problem.at(binding, problem)
                    }
                    properties.append((name, type))
                }
            }
            return properties
        }
    }

    extension VariableDeclSyntax {
        fileprivate var isStatic: Bool {
            modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.lazy) }
        }
    }

    extension PatternBindingSyntax {
        /// Whether it is no computed property.
        fileprivate var isStored: Bool {
            switch accessorBlock?.accessors {
            case nil: true
            case .getter: false
            case .accessors(let accessors):
                accessors.allSatisfy {
                    $0.accessorSpecifier.tokenKind == .keyword(.willSet)
                        || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
                }
            }
        }
    }
#endif
