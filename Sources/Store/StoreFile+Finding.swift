public import FlowCore

// What the file, and the one beside it, say together. A file whose digest is right is whole, but may be of an earlier time:
// that it is not the commit file shows. A commit file that is gone, damaged or not this one's costs nobody what is in the
// file: it is used, and that nobody knows whether there was more is said.

extension StoreFile {
    /// What opening a file showed.
    public struct Finding: Equatable, Sendable {
        /// What is to be said of it, for a person.
        public var warning: String?
        /// The same of what had to be expected.
        public var notice: String?
        /// How far serials and instances are reserved, as far as the commit file knows.
        public var counters: [Record] = []
        /// Whether they may be reserved further.
        public var certainty = Certainty.nothing

        /// Nothing was found.
        public init() {}

        init(warning: String? = nil, counters: [Record] = [], certainty: Certainty) {
            (self.warning, self.counters, self.certainty) = (warning, counters, certainty)
        }
    }

    /// Whether it is known how far serials and instances are reserved.
    public enum Certainty: Comparable, Sendable {
        /// There was no file that could know it.
        case nothing
        /// The file was damaged, or somebody put another one in its place.
        case unknown
        /// The machine went down, and what was written last may not have come to its disk.
        case late
        /// So far, and no further.
        case exact
    }

    /// What the commit file beside a file says, where that one can't be read.
    public static func reserved(beside path: String, clock: BootClock = .system) -> Finding {
        switch CommitFile.read(beside: path) {
        case .missing, .damaged: Finding(certainty: .unknown)
        case .mark(let mark):
            Finding(
                counters: records(of: mark), certainty: mark.boot == clock.boot || mark.isClosed ? .exact : .late)
        }
    }

    private static func records(of mark: CommitFile.Mark) -> [Record] {
        mark.counters.isEmpty ? [] : [Record(RecordKey(.counters, 0), mark.counters)]
    }

    /// Compares a file that is whole with its commit file.
    ///
    /// - Parameters:
    ///   - made: what the latter was made to say, as there were no commits in the file yet.
    ///   - isFresh: there was nothing in the file at all.
    func judge(
        _ loaded: Contents.Loaded, _ found: CommitFile.Finding, made: CommitFile.Mark?, isFresh: Bool
    ) throws(StoreFailure) -> Finding {
        let number = loaded.contents.number
        let name = "'\(path)\(CommitFile.suffix)'"
        func doubtful(_ why: String) -> Finding {
            Finding(
                warning:
                    "\(name) \(why); '\(path)' is whole as of commit \(number), and whether there were later ones is "
                    + "not known",
                counters: found.mark.map(Self.records) ?? [], certainty: .unknown)
        }
        switch found {
        case .missing where made != nil && isFresh: return Finding()
        // One of the first version, which had none.
        case .missing where made != nil && (!loaded.records.isEmpty || loaded.lastSerial > 0):
            return Finding(certainty: .exact)
        case .missing: return doubtful("is missing")
        case .damaged(let why): return doubtful(why)
        case .mark(let mark) where made != nil:
            return Finding(
                counters: Self.records(of: mark),
                certainty: mark.counters.isEmpty ? .nothing : mark.boot == clock.boot ? .exact : .late)
        case .mark(let mark):
            guard mark.identity == loaded.contents.meta.identity else { return doubtful("belongs to another file") }
            let isSameBoot = mark.boot == clock.boot
            var finding = Finding(counters: Self.records(of: mark), certainty: isSameBoot ? .exact : .late)
            if number == mark.number {
                if mark.isClosed { finding.certainty = .exact }
            } else if number < mark.number {
                guard !isSameBoot else {
                    throw StoreFailure(
                        .unreadable,
                        "'\(path)' is damaged: it ends with commit \(number), and commit \(mark.number) was written to it"
                    )
                }
                finding.notice =
                    "'\(path)' ends with commit \(number) of \(mark.number): the machine went down before the others came "
                    + "to its disk"
            } else if isSameBoot && number > mark.number + 1 {
                return doubtful("is older than its file, at commit \(mark.number)")
            }
            return finding
        }
    }

    // MARK: Time that was witnessed

    /// How much time has passed, in µs, as far as it was witnessed: by the clock since the machine was started, whoever ran
    /// then. What passed while it was off does not count, as only a clock that can be set would know.
    public var witnessed: UInt64 {
        base.witnessed &+ (max(clock.now(), base.sinceBoot) &- base.sinceBoot)
    }

    /// Finds out how much time was witnessed when the file was opened.
    func findBase(_ loaded: Contents.Loaded) {
        let meta = loaded.contents.meta
        let now = clock.now()
        isBaseWritten = meta.sinceBoot > 0 && meta.boot == clock.boot && meta.sinceBoot <= now
        if isBaseWritten {
            base = (meta.sinceBoot, meta.witnessed)
        } else if meta.sinceBoot == 0 {
            base = (now, 0)
        } else {
            // What was witnessed before this start of the machine; and all since then was after it.
            let before = max(meta.witnessed, loaded.witnessed)
            base = (now, before &+ (meta.boot == clock.boot ? 0 : now))
        }
    }

    /// What the file says of itself, with the time of now.
    func timedMeta() -> Contents.Meta {
        Contents.Meta(
            identity: contents.meta.identity, boot: clock.boot, sinceBoot: clock.now(), witnessed: witnessed)
    }
}
