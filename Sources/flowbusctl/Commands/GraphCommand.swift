import ArgumentParser
import FlowCore
import FlowFile
import FlowGraph
import FlowWire
import Platform

/// `graph`
struct GraphCommand: Command {
    /// The output format.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case dot
        case mermaid
        case svg
    }

    static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Draw flows, their steps, and where these lead.",
        discussion: """
            The definitions are read from files or, with --live and without a directory, from the service.

            A box is a flow, and the black point in it is where the flow starts. Rounded shapes are steps that the flow takes, all \
            others are screens. A solid line shows what a step contributes, a dashed line a forwarded step; dotted lines are for \
            Back, timers and dismissals, and red lines end the flow. The values of private steps are written as (private).
            """)

    @ParentCommand var root: Flowbusctl
    @OptionGroup var options: Options

    @Option(
        help: ArgumentHelp(
            "The output format.",
            discussion: "'dot' is for dot(1), 'mermaid' for Markdown; 'svg' needs Graphviz.", valueName: "format"))
    var format = Format.dot

    @Flag(
        help: ArgumentHelp(
            "Mark the live flows and screens, and those that are presented.",
            discussion: """
                Without a directory, draw the definitions that the service uses, including flows that clients registered. This \
                option needs the service.
                """))
    var live = false

    @Option(
        name: .customLong("flow"),
        help: ArgumentHelp("Show this flow only, and those that it leads to.", valueName: "flow"),
        completion: Completion.flows)
    var flow: String?

    @Flag(help: "Show the presenter of each screen.")
    var presenters = false

    @OptionGroup var files: DefinitionArguments

    func run(_ context: Context) throws(Failure) -> ExitStatus {
        let definitions: Definitions
        // Without folders, the definitions come from the service.
        if live, files.folders.isEmpty {
            definitions = try context.connect().definitions()
        } else {
            switch try files.load() {
            case .success(let files): definitions = files.definitions
            case .failure(let failure):
                for diagnostic in failure.diagnostics { StandardError.writeLine("\(diagnostic)") }
                return .negative
            }
        }
        if let flow, definitions.flow(named: flow) == nil {
            throw Failure(.badValue, definitions.unknownFlow(flow).message)
        }
        let graph = FlowGraph(
            definitions,
            FlowGraph.Options(
                root: flow, showsPresenters: presenters, live: live ? try liveNodes(context) : nil))
        switch format {
        case .dot: try context.output.write(graph.dot)
        case .mermaid: try context.output.write(graph.mermaid)
        case .svg: try draw(graph.dot)
        }
        return .success
    }

    private func liveNodes(_ context: Context) throws(Failure) -> [FlowGraph.LivePresentable] {
        try context.connect().liveNodes().map { node in
            FlowGraph.LivePresentable(
                path: node.path.objectPath, name: node.name, isFlow: node.isFlow, isPresented: node.isPresented)
        }
    }

    /// Runs Graphviz, which writes to standard output.
    private func draw(_ dot: String) throws(Failure) {
        let exit: ChildProgram.Exit
        do throws(SystemError) {
            exit = try ChildProgram.run("dot", ["-Tsvg"], input: dot)
        } catch  where error.isMissing {
            throw Failure(
                .unavailable,
                "SVG output needs Graphviz, whose 'dot' is not in PATH: 'apt install graphviz', or use --format dot or mermaid"
            )
        } catch {
            throw Failure(.inputOutput, "Graphviz could not be started: \(error.reason)")
        }
        switch exit {
        case .status(0): break
        case .status(let status): throw Failure(.inputOutput, "Graphviz failed: 'dot' ended with status \(status)")
        case .signal(let signal): throw Failure(.inputOutput, "Graphviz failed: 'dot' was ended by signal \(signal)")
        }
    }
}
