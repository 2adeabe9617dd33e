/// Compares what askers and pickers wrote with the rules.
struct CallKillOracle {
    private struct Line {
        let role: String
        let process: String
        let word: String
        let values: [String]
    }

    /// What was saved for a screen.
    private struct Saved {
        /// The last that was answered, and those that were not answered after it.
        var possible: Set<Int> = [0]
        /// What the last `Present` had.
        var shown = 0
    }

    /// The rules that did not hold.
    private(set) var faults: [String] = []
    private var states: [String: Saved] = [:]
    /// The processes that each screen was shown by.
    private var processes: [String: String] = [:]
    /// The process that acknowledged each token.
    private var acknowledged: [String: String] = [:]
    private var answers: [String: String] = [:]
    private var forms: Set<String> = []
    private var asked: Set<String> = []
    private var tried: [String: Set<String>] = [:]
    private var given: [String: String] = [:]
    private var effects: [(token: String, number: String)] = []
    private var others: [String] = []

    /// - Parameters:
    ///   - ledger: what they wrote.
    ///   - tree: the live presentables at the end.
    ///   - killed: whose processes were killed.
    init(_ ledger: String, tree: [String], killed: Set<CallKilled>) {
        for text in ledger.split(separator: "\n") {
            let words = text.split(separator: " ").map(String.init)
            guard words.count > 2 else {
                faults.append("the ledger has the line '\(text)'")
                continue
            }
            take(Line(role: words[0], process: words[1], word: words[2], values: Array(words.dropFirst(3))), text)
        }
        checkEnd(tree, killed)
    }

    private mutating func take(_ line: Line, _ text: Substring) {
        switch (line.word, line.values.count) {
        case ("present", 5): present(line, text)
        case ("save", 2): states[line.values[0], default: Saved()].possible.insert(Int(line.values[1]) ?? -1)
        case ("saved", 2): states[line.values[0], default: Saved()].possible = [Int(line.values[1]) ?? -1]
        case ("asked", 2): asked.insert(line.values[0])
        case ("answer", 3):
            let answer = line.values[1...].joined(separator: " ")
            if let other = answers[line.values[0]], other != answer {
                faults.append("S-45: '\(text)', and '\(other)' before")
            }
            answers[line.values[0]] = answer
            if let process = acknowledged[line.values[0]], process != line.process {
                faults.append("S-45: '\(text)', after it was acknowledged")
            }
        case ("effect", 2): effects.append((line.values[0], line.values[1]))
        case ("without", 2): others.append(line.values[0])
        case ("acked", 1): acknowledged[line.values[0]] = line.process
        case ("give", 2): tried[line.values[0], default: []].insert(line.values[1])
        case ("gave", 2): given[line.values[0]] = line.values[1]
        case ("ack", 1), ("again", 2), ("refused", 2), ("done", 0), ("over", 0): break
        default: faults.append("the ledger has the line '\(text)'")
        }
    }

    /// What a process sees of what those before it did. Later calls of one process can be older than what it did meanwhile.
    private mutating func present(_ line: Line, _ text: Substring) {
        let instance = line.values[1]
        if line.values[0] == "form" { forms.insert(instance) }
        let count = Int(line.values[3]) ?? -1
        var saved = states[instance] ?? Saved()
        if processes[instance] != line.process {
            processes[instance] = line.process
            if !saved.possible.contains(count) {
                faults.append("S-44: '\(text)', after \(saved.possible.sorted()) was saved")
            }
            for token in line.values[4].split(separator: ",") where acknowledged[String(token)] != nil {
                faults.append("S-45: '\(text)', after it was acknowledged")
            }
        } else if count < saved.shown || count > (saved.possible.max() ?? 0) {
            faults.append("S-44: '\(text)', after \(saved.shown) was shown and \(saved.possible.sorted()) saved")
        }
        saved.shown = count
        states[instance] = saved
    }

    private mutating func checkEnd(_ tree: [String], _ killed: Set<CallKilled>) {
        var numbers: Set<String> = []
        for (token, number) in effects {
            if !numbers.insert(number).inserted { faults.append("S-45: \(number) came twice") }
            guard let (instance, _) = tried.first(where: { $0.value.contains(number) }) else {
                faults.append("S-45: \(number) came for \(token), which nobody gave")
                continue
            }
            if let given = given[instance], given != number {
                faults.append("S-45: \(number) came for \(token), but Finish of \(given) was answered")
            }
        }
        if Set(effects.map(\.token) + others).count != effects.count + others.count {
            faults.append("S-45: one answer had two effects: \(effects), \(others)")
        }
        // A form goes with its answers if its process is killed before it answers Present.
        let isWhole = !killed.contains(.asker) || forms.count == 1
        if isWhole {
            if forms.count != 1 { faults.append("S-31: \(forms.count) forms, though no asker was killed") }
            for (instance, number) in given where !numbers.contains(number) {
                faults.append("S-45: \(number) of \(instance) never came")
            }
            if effects.count != 2 { faults.append("S-45: \(effects.count) results for two questions") }
            if tree.sorted() != ["/main", "/main/form"] { faults.append("there is \(tree.sorted())") }
        }
        if !killed.contains(.picker), !others.isEmpty || tried.count > 2 && isWhole {
            faults.append(
                "S-45: no picker was killed, but \(others) had no result, and \(tried.count) pickers gave one")
        }
    }
}
