import Foundation

/// The programs of the scenario.
enum CallKilled: String, CaseIterable, CustomStringConvertible {
    case asker, picker, flowbusd

    var description: String { rawValue }
}

/// A system call before which a process is killed.
struct CallKill: Hashable, CustomStringConvertible {
    let program: CallKilled
    /// Which of the program's processes, from 1 on.
    var life: Int
    /// strace counts the calls of each name.
    let name: String
    let number: Int

    var description: String { "\(program) \(life) before \(name) \(number)" }

    init(program: CallKilled, life: Int, name: String, number: Int) {
        self.program = program
        self.life = life
        self.name = name
        self.number = number
    }

    /// Reads a description; nil if it is none.
    init?(_ description: String) {
        let words = description.split(separator: " ").map(String.init)
        guard words.count == 5, let program = CallKilled(rawValue: words[0]), let life = Int(words[1]),
            let number = Int(words[4])
        else { return nil }
        self.init(program: program, life: life, name: words[3], number: number)
    }
}

/// What strace has written of a process.
struct CallTrace {
    /// The calls, in order.
    let calls: [String]
    let isKilled: Bool

    /// Nil if there is no such file, because the process was not traced.
    init?(_ path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n")
        isKilled = lines.last?.hasPrefix("+++ killed by SIGKILL") == true
        calls = lines.compactMap { line in
            guard let end = line.firstIndex(of: "("), !line.hasPrefix("---") else { return nil }
            return String(line[..<end])
        }
    }

    /// All moments at which the process can be killed, from its first connection on.
    func kills(of program: CallKilled, life: Int) -> [CallKill] {
        var counts: [String: Int] = [:]
        var kills: [CallKill] = []
        for name in calls {
            counts[name, default: 0] += 1
            guard !kills.isEmpty || name == "connect", !name.hasPrefix("exit") else { continue }
            kills.append(CallKill(program: program, life: life, name: name, number: counts[name] ?? 0))
        }
        return kills
    }
}
