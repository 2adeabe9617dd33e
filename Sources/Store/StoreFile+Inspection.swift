public import FlowCore

// Inspects a file together with its commit file. A file with the right digest is whole but may be old, which the
// commit file shows. A file whose commit file is missing, damaged or another file's is used, with a warning that later commits
// may be lost.

extension StoreFile {
    /// The result of inspecting a file when it was opened.
    public struct Inspection: Equatable, Sendable {
        /// A warning for the log.
        public var warning: String?
        /// A notice for the log, of something expected.
        public var notice: String?
        /// The reserved serials and instances, as far as the commit file has them.
        public var counters: [Record] = []
        /// Whether more may have been reserved.
        public var certainty = Certainty.nothing

        /// The result for a new file.
        public init() {}

        init(warning: String? = nil, counters: [Record] = [], certainty: Certainty) {
            (self.warning, self.counters, self.certainty) = (warning, counters, certainty)
        }
    }

    /// How certain the reserved serials and instances are.
    public enum Certainty: Comparable, Sendable {
        /// There was no file.
        case nothing
        /// The file was damaged or replaced.
        case unknown
        /// The machine went down, and the last writes may be missing.
        case late
        /// The numbers are exact.
        case exact
    }

    /// The result by the commit file alone, for a file that can't be read.
    public static func reserved(beside path: String, clock: BootClock = .system) -> Inspection {
        switch CommitFile.read(beside: path) {
        case .missing, .damaged: Inspection(certainty: .unknown)
        case .mark(let mark): Inspection(counters: records(of: mark), certainty: certainty(of: mark, clock))
        }
    }

    private static func certainty(of mark: CommitFile.CommitMark, _ clock: BootClock) -> Certainty {
        mark.isUncertain ? .unknown : mark.boot == clock.boot || mark.isClosed ? .exact : .late
    }

    /// Whether more may have been reserved than the commit file says that a new file begins with.
    static func isUncertain(_ found: CommitFile.ReadResult, startsOver: Bool, _ clock: BootClock) -> Bool {
        switch found {
        case .missing: startsOver
        case .damaged: true
        case .mark(let mark): certainty(of: mark, clock) != .exact
        }
    }

    private static func records(of mark: CommitFile.CommitMark) -> [Record] {
        mark.counters.isEmpty ? [] : [Record(RecordKey(.counters, 0), mark.counters)]
    }

    /// Compares a whole file with its commit file.
    ///
    /// - Parameters:
    ///   - made: the contents of the commit file that was created for an empty store.
    ///   - isFresh: whether the file was empty.
    func judge(
        _ loaded: Contents.Loaded, _ found: CommitFile.ReadResult, made: CommitFile.CommitMark?, isFresh: Bool
    ) throws(StoreFailure) -> Inspection {
        let number = loaded.contents.number
        let name = "'\(path)\(CommitFile.suffix)'"
        func uncertain(_ why: String) -> Inspection {
            Inspection(
                warning:
                    "\(name) \(why); '\(path)' is whole as of commit \(number), and whether there were later ones is "
                    + "not known",
                counters: found.mark.map(Self.records) ?? [], certainty: .unknown)
        }
        switch found {
        case .missing where made != nil && isFresh: return Inspection()
        case .missing: return uncertain("is missing")
        case .damaged(let why): return uncertain(why)
        case .mark(let mark) where made != nil:
            // The commits of an earlier boot, and what they reserved, may not have reached the disk.
            let isSameBoot = mark.boot == clock.boot
            return Inspection(
                counters: Self.records(of: mark),
                certainty: mark.isUncertain
                    ? .unknown : !isSameBoot ? .late : mark.counters.isEmpty ? .nothing : .exact)
        case .mark(let mark):
            guard mark.identity == loaded.contents.meta.identity else { return uncertain("belongs to another file") }
            let isSameBoot = mark.boot == clock.boot
            var inspection = Inspection(counters: Self.records(of: mark), certainty: isSameBoot ? .exact : .late)
            if number == mark.number {
                if mark.isClosed { inspection.certainty = .exact }
            } else if number < mark.number {
                guard !isSameBoot else {
                    throw StoreFailure(
                        .unreadable,
                        "'\(path)' is damaged: it ends with commit \(number), and commit \(mark.number) was written to it"
                    )
                }
                inspection.notice =
                    "'\(path)' ends with commit \(number) of \(mark.number): the machine went down before the others came "
                    + "to its disk"
            } else if isSameBoot && number > mark.number + 1 {
                return uncertain("is older than its file, at commit \(mark.number)")
            }
            if mark.isUncertain { inspection.certainty = .unknown }
            // Nothing was reserved in it yet, so it says nothing of what another file has.
            let counters = Int64(bitPattern: RecordKey(.counters, 0).rawValue)
            if inspection.certainty == .exact, mark.counters.isEmpty,
                !loaded.records.contains(where: { $0.key == counters })
            {
                inspection.certainty = .nothing
            }
            return inspection
        }
    }

    // MARK: Witnessed time

    /// How much time has passed, in µs, while the machine was up. Time while it was off does not count, as only a clock that
    /// can be set would know it.
    public var witnessed: UInt64 {
        base.witnessed &+ (max(clock.now(), base.sinceBoot) &- base.sinceBoot)
    }

    /// Computes the witnessed time when the file was opened.
    func findBase(_ loaded: Contents.Loaded) {
        let meta = loaded.contents.meta
        let now = clock.now()
        isBaseWritten = meta.sinceBoot > 0 && meta.boot == clock.boot && meta.sinceBoot <= now
        if isBaseWritten {
            base = (meta.sinceBoot, meta.witnessed)
        } else if meta.sinceBoot == 0 {
            base = (now, 0)
        } else {
            // The time before this boot, and all time since.
            let before = max(meta.witnessed, loaded.witnessed)
            base = (now, before &+ (meta.boot == clock.boot ? 0 : now))
        }
    }

    /// The file's metadata with the current time.
    func timedMeta() -> Contents.Meta {
        Contents.Meta(
            identity: contents.meta.identity, boot: clock.boot, sinceBoot: clock.now(), witnessed: witnessed)
    }
}
