import FlowCore

/// What people read of flows, screens and steps (S-58).
extension Resolver {
    /// Returns the texts of what declares these arguments.
    func texts(_ item: (String) -> Item?, of declared: Declared) -> Texts {
        Texts(
            title: item("title").flatMap { text($0, "title", of: declared, atMost: Limits.titleLength) },
            description: item("description").flatMap {
                text($0, "description", of: declared, atMost: Limits.descriptionLength)
            })
    }

    /// A text, or a table of texts by their languages.
    private func text(_ item: Item, _ key: String, of declared: Declared, atMost limit: Int) -> LocalizedText? {
        guard let table = item.table else {
            return version(item, key, of: declared, atMost: limit).map { LocalizedText($0) }
        }
        if table.count == 0 {
            diagnostics.error(
                item.location,
                "'\(key)' is empty; it has to be a text, or a table of texts by languages: { en = \"…\" }")
            return nil
        }
        var versions: [LocalizedText.Version] = []
        for (language, item) in table.entries {
            if !Self.isLanguage(language) {
                diagnostics.error(
                    item.location,
                    "\(Text.quoted(language)) is no language; it has to be a tag such as 'en', 'de-AT' or 'zh-Hant-TW'")
            }
            if let text = version(item, key, of: declared, atMost: limit) {
                versions.append(LocalizedText.Version(language, text))
            }
        }
        return versions.count == table.count ? LocalizedText(versions) : nil
    }

    /// Source: BCP 47, which has `-` between the parts; POSIX has `_`.
    private static func isLanguage(_ tag: String) -> Bool {
        let parts = tag.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        return tag.utf8.count <= 35
            && parts.allSatisfy { part in
                (1...8).contains(part.count)
                    && part.allSatisfy {
                        ("a"..."z").contains(Character(UnicodeScalar($0 | 0x20)))
                            || ("0"..."9").contains(Character(UnicodeScalar($0)))
                    }
            }
    }

    private func version(_ item: Item, _ key: String, of declared: Declared, atMost limit: Int) -> String? {
        guard let text = item.string(diagnostics, "a text, or a table of texts by languages: { en = \"…\" }") else {
            return nil
        }
        guard text.utf8.count <= limit else {
            diagnostics.error(item.location, "'\(key)' has \(text.utf8.count) bytes; it can have at most \(limit)")
            return nil
        }
        do throws(Literal.InvalidValue) {
            _ = try Literal.validated(text)
        } catch {
            diagnostics.error(item.location, error.text)
            return nil
        }
        for case .reference(let name) in LocalizedText.parts(of: text) where declared[name] == nil {
            let names = declared.parameters.map(\.name).sorted(by: Text.precedes)
            diagnostics.error(
                item.location,
                "'${\(Names.escaped(name))}' refers to nothing (for the text itself write '$${'): \(declared.subject) takes "
                    + (names.isEmpty ? "no arguments" : Text.list(names))
                    + diagnostics.suggestion(for: name, among: names))
            return nil
        }
        warnOfReferences(inside: item, help: { "write '${\($0)}' for the argument" }) { declared[String($0)] != nil }
        return text
    }
}
