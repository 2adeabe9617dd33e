import Foundation
import Testing

@testable import FlowCore

/// The manual says what the code says.
@Suite("Documentation")
struct DocumentationTests {
    private let rules = (1...35).map { "S-\($0)" }
    /// Those of what a restart keeps.
    private let keepingRules = (1...10).map { "D-\($0)" }
    /// The documents that tell of rules.
    private let files = [
        "docs/concepts.md", "docs/semantics.md", "docs/rxflow.md", "docs/processes.md", "docs/durability.md",
        "docs/architecture.md", "docs/glossary.md", "README.md", "HACKING.md", "CONTRIBUTING.md", "SECURITY.md",
    ]

    private func text(_ path: String) throws -> String {
        let top = (#filePath as NSString).deletingLastPathComponent + "/../.."
        return try String(contentsOfFile: top + "/" + path, encoding: .utf8)
    }

    /// The words that stand in backticks.
    private func words(_ path: String) throws -> Set<Substring> {
        Set(try text(path).matches(of: #/`([A-Za-z]+)`/#).map(\.output.1))
    }

    @Test func `each rule has one heading, in order, and no other number is mentioned`() throws {
        let manual = try text("docs/semantics.md")
        #expect(manual.matches(of: #/(?m)^### ([A-Z]-[0-9]+) /#).map { String($0.output.1) } == rules)
        let keeping = try text("docs/durability.md")
        #expect(keeping.matches(of: #/(?m)^### ([A-Z]-[0-9]+) /#).map { String($0.output.1) } == keepingRules)
        for file in files {
            for match in try text(file).matches(of: #/\b[SD]-[0-9]+/#) {
                #expect((rules + keepingRules).contains(String(match.output)), "\(file)")
            }
        }
    }

    @Test func `every word that a client or a definition can meet is there`() throws {
        let words = try words("docs/semantics.md")
        let met =
            Verdict.allCases.map(\.rawValue) + FlowError.Code.allCases.map(\.rawValue)
            + Contribution.Kind.allCases.map(\.rawValue) + WhenHidden.allCases.map(\.rawValue)
            + Children.allCases.map(\.rawValue) + DismissalReason.allCases.map(\.rawValue)
            + WhenOwnerGone.allCases.map(\.rawValue)
        for word in met { #expect(words.contains(Substring(word)), "\(word)") }
    }

    @Test func `the limits are those of the code`() throws {
        let rows = try text("docs/semantics.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        func row(_ what: String, _ limits: String) { #expect(rows.contains("| \(what) | \(limits) |"), "\(what)") }
        func number(_ number: Int) -> String {
            number < 1_000 ? "\(number)" : "\(number / 1_000),\(String("\(1_000 + number % 1_000)".dropFirst()))"
        }
        let (kibi, mebi) = (1_024, 1_024 * 1_024)
        row("live presentables", "\(number(Limits.nodesPerClient)) | \(number(Limits.nodes))")
        row(
            "arguments held: of live presentables, of steps that wait for them, of each flow's latest navigation",
            "\(Limits.liveArgumentBytesPerClient / mebi) MiB | \(Limits.liveArgumentBytes / mebi) MiB")
        row(
            "steps that wait: deferred, for a guard or navigator, in a list or a path; calls of WaitReady, calls by the token of "
                + "one that waits",
            "\(number(Limits.waitingStepsPerClient)) | \(number(Limits.waitingSteps))")
        row(
            "tokens of the last \(Limits.tokenLifetime / 1_000_000) s",
            "\(number(Limits.tokensPerClient)) | \(number(Limits.tokens))")
        row(
            "calls that wait until one that goes on in slices is done (S-7)",
            "\(number(Limits.postponedCallsPerClient)) | \(number(Limits.postponedCalls))")
        row(
            "values in those",
            "\(Limits.postponedBytesPerClient / mebi) MiB | \(Limits.postponedBytes / mebi) MiB")
        row("registered flows", "\(number(Limits.registeredFlowsPerClient)) | \(number(Limits.registeredFlows))")
        row(
            "names and types of the steps and screens of registered flows",
            "\(Limits.registeredBytesPerClient / mebi) MiB | \(Limits.registeredBytes / mebi) MiB")
        row("children of one flow", number(Limits.children))
        row("depth of a tree", "\(Limits.depth)")
        row("object path", "\(Limits.pathLength) bytes")
        row("name of a screen or flow, id", "\(Limits.nameLength) bytes")
        row("name of a step", "\(Limits.stepNameLength) bytes")
        row("style of a child", "\(Limits.styleLength) bytes")
        row("arguments of all contributors in one answer of a navigator", "\(Limits.answerBytes / mebi) MiB")
        row("token", "\(Limits.tokenLength) bytes")
        row("activation token", "\(number(Limits.activationTokenLength)) bytes")
        row(
            "arguments of one step",
            "\(Limits.argumentCount), of \(Limits.argumentBytes / kibi) KiB together, "
                + "nested \(Limits.argumentNesting) deep")
        row(
            "steps deferred for one presentable",
            "\(Limits.deferredSteps), \(Limits.deferredStepsPerClient) of one client")
        row(
            "steps that wait for one flow, deferred ones included",
            "\(number(Limits.waitingStepsPerFlow)), \(Limits.waitingStepsPerFlowAndClient) of one client")
        row("steps in one EmitSteps, segments in one NavigateAlong", number(Limits.waitingStepsPerFlow))
        row("lines of an explanation", number(Limits.explanationLines))
        row("steps triggered by one origin (S-11)", "\(Limits.triggeredSteps)")
        row("calls that wait for the outcome of one token", "\(Limits.callsPerToken)")
        row("steps of one registered flow", "\(Limits.stepsPerRegistration)")
        row("screens that come with one registered flow", "\(Limits.screensPerRegistration)")
        row("contributors in one answer of a navigator", number(Limits.children))
        row("calls of one screen's presenter that are under way", "\(Limits.callsPerScreen)")
        row("calls to one bus name that are under way; the rest wait", "\(Limits.callsUnderWay)")
    }

    @Test func `what may take how long is told as the code has it`() throws {
        let rows = try text("docs/semantics.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        func row(_ what: String, _ time: UInt64) {
            #expect(rows.contains("| \(what) | \(time / 1_000_000) s |"), "\(what)")
        }
        row(
            "a caller waits for a verdict, then it is `pending`; for WaitReady, then it is `Timeout`",
            Limits.replyTimeout)
        row("a NavigateAlong, unless its caller says otherwise", Limits.pathTimeout)
        row("the answer of a presenter, unless the definition says otherwise", Limits.presenterTimeout)
        row("the answer of a guard or navigator, unless the definition says otherwise", Limits.guardTimeout)
        row(
            "\(Limits.revivals) times that a screen is presented again as its owner is gone (S-30)",
            Limits.revivalTime)
    }

    @Test func `the README links to each document`() throws {
        let readMe = try text("README.md")
        for file in files where file.hasPrefix("docs/") {
            #expect(readMe.contains("(\(file))"), "\(file)")
        }
    }

    /// GitHub's names for the headings of a document, and those that it gives itself.
    private func anchors(_ path: String) throws -> Set<String> {
        let prose = try text(path).replacing(#/(?ms)^```.*?^```/#, with: "")
        let headings = prose.matches(of: #/(?m)^#+ (.*)$/#).map { match in
            String(
                match.output.1.lowercased().map { $0 == " " ? "-" : $0 }
                    .filter { $0.isLetter || $0.isNumber || "-_".contains($0) })
        }
        return Set(headings).union(prose.matches(of: #/<a id="([^"]+)">/#).map { String($0.output.1) })
    }

    @Test func `each link leads to a file, and to a heading of it`() throws {
        let top = (#filePath as NSString).deletingLastPathComponent + "/../../"
        for file in files {
            let prose = try text(file).replacing(#/(?ms)^```.*?^```/#, with: "")
            for link in prose.matches(of: #/\]\(([^)\s]+)\)/#).map(\.output.1) where !link.hasPrefix("https:") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = (file as NSString).deletingLastPathComponent
                let path = parts[0].isEmpty ? file : (folder as NSString).appendingPathComponent(String(parts[0]))
                guard FileManager.default.fileExists(atPath: top + path) else {
                    Issue.record("\(file): there is no '\(link)'")
                    continue
                }
                guard parts.count == 2 else { continue }
                #expect(try anchors(path).contains(String(parts[1])), "\(file): '\(link)' is no heading")
            }
        }
    }
}
