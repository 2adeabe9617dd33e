extension Contribution: RecordPart {
    static var unread: Contribution { Contribution(kind: .end, name: "") }

    mutating func code<Coder: RecordCoder>(with coder: inout Coder) throws(Coder.Failure) {
        try coder.code(choice: &kind)
        try coder.code(&name)
        var path = path ?? ""
        try coder.code(&path)
        self.path = path.isEmpty ? nil : path
        try coder.code(&style)
        try coder.code(&arguments)
    }
}

extension RecordWriter {
    /// Writes the contributors that a navigation applied.
    public mutating func append(_ contributions: [Contribution]) {
        var contributions = contributions
        code(&contributions)
    }
}

extension RecordReader {
    /// Reads the contributors that a navigation applied.
    public mutating func contributions() throws(RecordFailure) -> [Contribution] {
        var contributions: [Contribution] = []
        try code(&contributions)
        return contributions
    }
}
