import BusTestSupport
import Foundation
import Glibc
import Testing

/// Whoever types the commands of a recipe's tour sees what it says: the service itself, with `flowbusctl act --all` for the programs.
/// Tours in which something else happens are left to `RecipeTests`, which play all of them without a bus.
@Suite("Recipes by hand")
struct RecipeCommandTests {
    private static let folder = Service.repository + "/examples/recipes"
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().filter { name in
        let tour = try? String(contentsOfFile: "\(folder)/\(name)/tour", encoding: .utf8)
        return tour?.split(separator: "\n").filter { $0.hasPrefix("*") } == ["* start"]
    }

    /// A line that begins with `$` or `*`, and what stands below it.
    private struct Step {
        let line: Substring
        var answers: [Substring] = []
        var sight: [Substring] = []
    }

    private func steps(of name: String) throws -> [Step] {
        var steps: [Step] = []
        for line in try Service.file("examples/recipes/\(name)/tour").split(separator: "\n") where !line.hasPrefix("#")
        {
            if line.hasPrefix("$ ") || line.hasPrefix("* ") {
                steps.append(Step(line: line))
            } else if line.hasPrefix("  ") {
                steps[steps.count - 1].sight.append(line.split(separator: " ")[0])
            } else {
                steps[steps.count - 1].answers.append(line)
            }
        }
        return steps
    }

    @Test(arguments: names) func `the commands of a tour lead to what it says`(name: String) throws {
        let bus = try PrivateBus()
        let act = try Program.start(["--address", bus.address, "act", "--all", "\(Self.folder)/\(name)"])
        let definitions = try Service.file("examples/recipes/\(name)/flows.toml")
        let service = try Service(definitions.replacing("version = 1\n", with: ""), bus: bus)
        try act.waitForLine { $0 == "org.flowbus.Navigation1 is there" }
        for step in try steps(of: name) {
            if step.line.hasPrefix("$") {
                let words = step.line.split(separator: " ").dropFirst(2).map(String.init)
                let run = try Program.run(["--address", bus.address] + words)
                for answer in step.answers { #expect((run.output + run.errors).contains(answer), "\(step.line)") }
            }
            try service.poll(for: "\(step.sight) after '\(step.line)'") {
                try service.ctl("stack").output.split(separator: "\n").map { $0.split(separator: " ")[0] } == step.sight
            }
        }
        act.send(signal: SIGTERM)
        #expect(try act.waitForExit() == .status(0), "\(act.errors)")
    }

    @Test func `many tours are commands alone`() { #expect(Self.names.count >= 10) }
}
