import FlowCore

@testable import Worlds
@testable import flowbusd

/// What kind of run a seed is.
struct Profile {
    /// How many programs there are beside the watcher.
    let clients: Int
    /// How long messages take at the most, and how long a program waits between two acts, in µs.
    let latency: UInt64
    let pause: UInt64
    /// How often the watcher compares its mirror, and how often something fails, in µs.
    let compareEvery: UInt64
    let faultEvery: UInt64
    let folders: StoreFolders
    let restore: Options.Restore
    let historyEntries: Int
    /// Whether disks are full for a while, the machine goes down, files are damaged, the socket is full.
    let failsDisk: Bool
    let crashesMachine: Bool
    let damages: Bool
    let fillsSocket: Bool
    /// Whether definitions change while steps wait: after a restart, those are judged anew (D-5).
    let changesDefinitions: Bool
    /// Whether the model of the rules follows, in a world of one process; and whether that goes on to the end, as nothing ends
    /// flowbusd.
    let isModelled: Bool
    let isUndisturbed: Bool
    /// Whether the records are compared after each event, which takes time.
    let comparesRecords: Bool

    init(seed: UInt64, using random: inout Seeded) {
        func among<T>(_ all: [T], _ random: inout Seeded) -> T { all[Int.random(in: 0..<all.count, using: &random)] }
        clients = among([2, 3, 4, 6], &random)
        latency = among([0, 50, 1_000, 20_000], &random)
        pause = among([200, 2_000, 30_000, 500_000], &random)
        compareEvery = pause * 60
        faultEvery = pause * among([10, 40, 200], &random)
        isModelled = seed % 4 == 3
        isUndisturbed = seed % 8 == 7
        let hasState = among([true, true, false], &random)
        folders = StoreFolders(
            runtime: seed % 32 == 9 ? nil : "/sim/run/flowbus", state: hasState ? "/sim/state/flowbus" : nil)
        comparesRecords = seed % 16 == 5 && (folders.runtime != nil || hasState)
        restore = among([.bus, .bus, .always], &random)
        historyEntries = among([100_000, 300, 0], &random)
        failsDisk = seed % 5 == 1
        crashesMachine = seed % 4 == 2
        damages = seed % 6 == 4
        changesDefinitions = among([true, false, false], &random)
        fillsSocket = among([true, false], &random)
    }
}

/// How much happened.
struct Counts {
    var messages: UInt64 = 0
    var acts: UInt64 = 0
    var handled: UInt64 = 0
    var commits: UInt64 = 0
    var lives: UInt64 = 0
    var killsByWrite: UInt64 = 0
    var machineCrashes: UInt64 = 0
    var damages: UInt64 = 0
    var diskFailures: UInt64 = 0
    var comparedFiles: UInt64 = 0
    var comparedTrees: UInt64 = 0
    var comparedMirrors: UInt64 = 0
    var comparedByModel: UInt64 = 0
    var comparedRecords: UInt64 = 0
    var answers: UInt64 = 0
    var navigations: UInt64 = 0
    var repeatedTokens: UInt64 = 0
    var endings: [World.Ending: Int] = [:]

    mutating func add(_ other: Counts) {
        messages += other.messages
        acts += other.acts
        handled += other.handled
        commits += other.commits
        lives += other.lives
        killsByWrite += other.killsByWrite
        machineCrashes += other.machineCrashes
        damages += other.damages
        diskFailures += other.diskFailures
        comparedFiles += other.comparedFiles
        comparedTrees += other.comparedTrees
        comparedMirrors += other.comparedMirrors
        comparedByModel += other.comparedByModel
        comparedRecords += other.comparedRecords
        answers += other.answers
        navigations += other.navigations
        repeatedTokens += other.repeatedTokens
        endings.merge(other.endings) { $0 + $1 }
    }
}
