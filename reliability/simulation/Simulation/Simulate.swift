import CDisk
import CSdBus
import Glibc
import Platform

/// `simulate [--seed N] [--seeds N] [--events N] [--seconds N] [--length N] [--verbose] [--log] [--all]`: runs seeds until one of them fails, or the
/// numbers are reached.
@main
struct Simulate {
    nonisolated(unsafe) static var isVerbose = false
    /// Whether to print what flowbusd logs, too; the same seed is another run then.
    nonisolated(unsafe) static var logs = false
    /// Whether to go on after a seed that failed.
    nonisolated(unsafe) private static var findsAll = false

    static func main() {
        var (first, seeds, most, seconds): (UInt64, UInt64, UInt64, UInt64) = (1, .max, .max, .max)
        var length: UInt64?
        var arguments = Array(CommandLine.arguments.dropFirst())
        func value(_ name: String) -> UInt64 {
            guard let text = arguments.first, let value = UInt64(text) else {
                print("simulate: '\(arguments.first ?? "")' is no number; \(name) has to be one, as in \(name) 1000")
                exit(64)
            }
            arguments.removeFirst()
            return value
        }
        while let argument = arguments.first {
            arguments.removeFirst()
            switch argument {
            case "--seed": (first, seeds) = (value(argument), seeds == .max ? 1 : seeds)
            case "--seeds": seeds = value(argument)
            case "--events": most = value(argument)
            case "--seconds": seconds = value(argument)
            case "--length": length = value(argument)
            case "--verbose": isVerbose = true
            case "--log": (isVerbose, logs) = (true, true)
            case "--all": findsAll = true
            default:
                print(
                    "simulate: there is no option '\(argument)'; known are --seed, --seeds, --events, --seconds, --length, --verbose, --log, --all"
                )
                exit(64)
            }
        }
        if seeds == .max, most == .max, seconds == .max { seeds = 100 }
        connectHooks()
        sim_disk_begin()
        exit(run(first, seeds, most, seconds, length))
    }

    private static func run(
        _ first: UInt64, _ seeds: UInt64, _ most: UInt64, _ seconds: UInt64, _ length: UInt64?
    ) -> Int32 {
        var (events, total, seed, next, failed) = (UInt64(0), Counts(), first, UInt64(0), 0)
        let begin = time(nil)
        while seed - first < seeds, events < most, UInt64(clamping: time(nil) - begin) < seconds {
            let world = World(seed: seed, length: length)
            let violation = world.run()
            events += world.events
            total.add(world.counts)
            if let violation {
                print("seed \(seed), event \(world.events) of life \(world.life): \(violation)")
                print("again: simulate --seed \(seed)\(length.map { " --length \($0)" } ?? "") --verbose")
                fflush(stdout)
                failed += 1
                if !findsAll { return 1 }
            }
            seed += 1
            if events >= next {
                report(seed - first, events, total, begin)
                next = events + 10_000_000
            }
        }
        report(seed - first, events, total, begin)
        return failed == 0 ? 0 : 1
    }

    private static func report(_ seeds: UInt64, _ events: UInt64, _ all: Counts, _ begin: Int) {
        let endings = all.endings.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        print(
            """
            \(seeds) seeds, \(events) events, \(time(nil) - begin) s: \(all.messages) messages, \(all.handled) events of the machine, \
            \(all.navigations) navigations, \(all.answers) answers, \(all.repeatedTokens) repeated tokens; \(all.commits) commits, \
            \(all.lives) lives (killed by a write \(all.killsByWrite), \(endings)), \(all.diskFailures) disk failures, \
            \(all.damages) damages, \(all.machineCrashes) crashes of the machine; compared: \(all.comparedFiles) files, \
            \(all.comparedTrees) trees, \(all.comparedMirrors) mirrors, \(all.comparedRecords) times all records, \(all.comparedByModel) events by the model
            """)
        fflush(stdout)
    }

    private static func connectHooks() {
        sim_hook.written = { bytes, count in
            guard let bytes, let world = World.current else { return count }
            return world.written(bytes, count)
        }
        sim_hook.owner = { name, unique in
            guard let name, let unique, let found = World.current?.uniqueName(of: String(cString: name)) else {
                return 0
            }
            strcpy(unique, found)
            return 1
        }
        sim_hook.unserved = { call in
            if let call { World.current?.unserved(call) }
        }
        sim_hook.idle = { hasWork in World.current?.idle(hasWork != 0) == true ? 1 : 0 }
        sim_hook.random = { bound in
            guard let world = World.current else { return 0 }
            return UInt32(world.below(Int(bound)))
        }
        sim_disk_random = { bound in
            guard let world = World.current else { return 0 }
            return UInt32(world.below(Int(bound)))
        }
        sim_disk_killed = { World.current?.killedByWrite() }
        sim_disk_marked = { path, isWritten, identity, number in
            guard let path else { return }
            World.current?.marked(
                String(cString: path), World.Commit(file: identity, number: number), isWritten: isWritten != 0)
        }
        sim_disk_renamed = { path in
            if let path { World.current?.movedAside(String(cString: path)) }
        }
    }
}
