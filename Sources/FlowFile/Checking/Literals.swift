import FlowCore

/// Turns values of a definition file into values of a declared type.
struct Literals {
    let report: Report

    /// The value as the type keeps it; nil, and an error, where it does not fit.
    func value(_ item: Item, as type: ValueType, _ what: String) -> Value? {
        // The bus carries an argument in a variant: with `v` the value stays what it is.
        let found = type.signature == "v" ? natural(item) : convert(item, type.signature[...])
        if found == nil {
            report.error(
                item.place,
                "\(what) has to be of type \(type.description), not \(item.kind)\(shown(item))\(range(item, type))")
        }
        return found
    }

    private func shown(_ item: Item) -> String {
        switch item.content {
        case .string(let text): " '\(Names.shown(text))'"
        case .integer(let number): " '\(number)'"
        case .double(let number): " '\(number)'"
        case .bool(let flag): " '\(flag)'"
        case .date, .array, .table: ""
        }
    }

    private func range(_ item: Item, _ type: ValueType) -> String {
        guard case .integer = item.content, type.canAdmit(ValueType(signature: "x") ?? type) else { return "" }
        return type.signature == "x" ? "" : "; it is out of range"
    }

    /// The value of the type that the signature names, one complete type.
    private func convert(_ item: Item, _ signature: Substring) -> Value? {
        switch (signature.first, item.content) {
        case ("b", .bool(let flag)): .bool(flag)
        case ("y", .integer(let number)): UInt8(exactly: number).map(Value.byte)
        case ("n", .integer(let number)): Int16(exactly: number).map(Value.int16)
        case ("q", .integer(let number)): UInt16(exactly: number).map(Value.uint16)
        case ("i", .integer(let number)): Int32(exactly: number).map(Value.int32)
        case ("u", .integer(let number)): UInt32(exactly: number).map(Value.uint32)
        case ("x", .integer(let number)): .int64(Int64(number))
        case ("t", .integer(let number)): UInt64(exactly: number).map(Value.uint64)
        case ("d", .double(let number)): .double(number)
        case ("d", .integer(let number)): .double(Double(number))
        case ("s", .string(let text)): .string(text)
        case ("o", .string(let text)): isObjectPath(text) ? .objectPath(text) : nil
        case ("g", .string(let text)): isSignature(text) ? .signature(text) : nil
        case ("v", _): natural(item).map(Value.variant)
        case ("a", .array(let items)):
            all(items.map { convert($0, signature.dropFirst()) }).map {
                .array(element: String(signature.dropFirst()), $0)
            }
        case ("a", .table(let entries)): dictionary(entries, signature.dropFirst())
        case ("(", .array(let items)): structure(items, signature.dropFirst().dropLast())
        default: nil
        }
    }

    private func all(_ values: [Value?]) -> [Value]? {
        let found = values.compactMap { $0 }
        return found.count == values.count ? found : nil
    }

    private func structure(_ items: [Item], _ members: Substring) -> Value? {
        var rest = members
        var values: [Value?] = []
        for item in items {
            guard let type = takeType(&rest) else { return nil }
            values.append(convert(item, type))
        }
        return rest.isEmpty ? all(values).map(Value.structure) : nil
    }

    /// A table as `a{…}`; the entry's signature is with its braces.
    private func dictionary(_ entries: [(key: String, item: Item)], _ signature: Substring) -> Value? {
        guard signature.first == "{" else { return nil }
        var rest = signature.dropFirst().dropLast()
        guard let keyType = takeType(&rest) else { return nil }
        let values = entries.map { entry -> Value? in
            guard let key = key(entry.key, keyType), let value = convert(entry.item, rest) else { return nil }
            return .entry(key: key, value: value)
        }
        return all(values).map { .array(element: String(signature), $0) }
    }

    /// A table's key, which is text in TOML, as the type of a dictionary's key.
    private func key(_ text: String, _ type: Substring) -> Value? {
        switch type {
        case "s": .string(text)
        case "o": isObjectPath(text) ? .objectPath(text) : nil
        case "g": isSignature(text) ? .signature(text) : nil
        case "b": Bool(text).map(Value.bool)
        case "d": Double(text).map(Value.double)
        default: Int64(text).flatMap { ValueType(signature: String(type))?.admit(.int64($0)) }
        }
    }

    /// The value as the type that TOML gives it, where nothing says another.
    private func natural(_ item: Item) -> Value? {
        switch item.content {
        case .string(let text): .string(text)
        case .integer(let number): .int64(Int64(number))
        case .double(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .date: nil
        case .array(let items):
            all(items.map(natural)).map { values in
                guard let type = values.first?.signature, values.allSatisfy({ $0.signature == type }) else {
                    return .array(element: "v", values.map(Value.variant))
                }
                return .array(element: type, values)
            }
        case .table(let entries):
            all(
                entries.map { entry in natural(entry.item).map { .entry(key: .string(entry.key), value: .variant($0)) }
                }
            )
            .map { .array(element: "{sv}", $0) }
        }
    }

    /// The next complete type of a signature that is valid.
    private func takeType(_ rest: inout Substring) -> Substring? {
        let start = rest
        var depth = 0
        while let code = rest.popFirst() {
            switch code {
            case "(", "{": depth += 1
            case ")", "}": depth -= 1
            case "a": continue
            default: break
            }
            if depth == 0 { return start[start.startIndex..<rest.startIndex] }
        }
        return nil
    }

    private func isObjectPath(_ text: String) -> Bool {
        guard text != "/" else { return true }
        return text.hasPrefix("/")
            && text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
                    }
            }
    }

    /// Any number of complete types.
    private func isSignature(_ text: String) -> Bool {
        var rest = text[...]
        while !rest.isEmpty {
            guard let type = takeType(&rest), ValueType(signature: String(type)) != nil else { return false }
        }
        return true
    }
}
