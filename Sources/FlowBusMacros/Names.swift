#if Macros
    import SwiftParser
    import SwiftSyntax
    import SwiftSyntaxBuilder
    import SwiftSyntaxMacros

    /// Names on the bus, as FlowCore has them (S-3); the macros check them where they stand in the source.
    enum BusName {
        /// Returns why a name can't be that of a step; nil if it can.
        static func problem(step name: String) -> String? {
            let isName =
                name.utf8.count <= 128 && name.utf8.first.map(isLetter) == true
                && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || isMark($0) }
            return isName
                ? nil
                : "'\(name)' can't be the name of a step: it has to be a letter, then letters, digits, '_', '.' and '-', at most 128 "
                    + "bytes; give the case another in CodingKeys"
        }

        /// Returns why a name can't be that of an argument; nil if it can.
        static func problem(argument name: String, of kind: String) -> String? {
            let isName =
                name.utf8.count <= 64 && name.utf8.first.map { isLetter($0) || $0 == UInt8(ascii: "_") } == true
                && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
            return isName
                ? nil
                : "'\(name)' can't be the name of \(kind): it has to be a letter or '_', then letters, digits and '_', at most 64 "
                    + "bytes; give it another in CodingKeys"
        }

        private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a }
        private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
        private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") }
    }

    extension TokenSyntax {
        /// The name without the backticks that keywords need.
        var plainName: String {
            let text = text
            return text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2
                ? String(text.dropFirst().dropLast()) : text
        }

        /// The name as the label of an argument, where few keywords need backticks.
        var asArgumentLabel: String {
            let name = plainName
            return ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
        }
    }

    extension DeclSyntax {
        /// An enum of keys.
        static func codingKeys(_ name: String, _ identifiers: [String]) -> DeclSyntax {
            """
            private enum \(raw: name): CodingKey {
                case \(raw: identifiers.map(\.asCase).joined(separator: ", "))
            }
            """
        }
    }

    extension DeclGroupSyntax {
        /// Whether a type of a name is declared inside.
        func declares(_ name: String) -> Bool {
            memberBlock.members.contains { $0.decl.asProtocol((any NamedDeclSyntax).self)?.name.plainName == name }
        }

        /// The names that an enum `CodingKeys` of this name inside the type gives; nil if there is none.
        func codingKeys(_ name: String) -> [String: String]? {
            for member in memberBlock.members {
                guard let keys = member.decl.as(EnumDeclSyntax.self), keys.name.plainName == name else { continue }
                var names: [String: String] = [:]
                for case let line in keys.memberBlock.members {
                    guard let cases = line.decl.as(EnumCaseDeclSyntax.self) else { continue }
                    for element in cases.elements {
                        let literal = element.rawValue?.value.as(StringLiteralExprSyntax.self)?.representedLiteralValue
                        names[element.name.plainName] = literal ?? element.name.plainName
                    }
                }
                return names
            }
            return nil
        }

        /// The access that members of the generated conformance need, with a space. In an extension, its access is that of a type
        /// that says none.
        func access(in context: some MacroExpansionContext) -> String {
            let surroundings = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
            for modifier in Array(modifiers) + Array(surroundings?.modifiers ?? []) {
                switch modifier.name.tokenKind {
                case .keyword(.public), .keyword(.open): return "public "
                case .keyword(.package): return "package "
                case .keyword(.internal), .keyword(.fileprivate), .keyword(.private): return ""
                default: continue
                }
            }
            return ""
        }
    }

    extension String {
        /// The name of a case, which needs backticks if it is a keyword.
        fileprivate var asCase: String { hasPrefix("`") ? self : "`\(self)`" }

        /// The text as a literal of Swift.
        var literal: String { StringLiteralExprSyntax(content: self).description }
    }
#endif
