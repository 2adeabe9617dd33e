import Glibc

// SQLite's log ends, for who reads it again, where a frame of it is not what was written: one that is damaged takes all
// commits from there on with it, and the file looks whole. So the number of the last commit stands in a second file.
//
// It is written by pwrite(2), not through memory that is mapped: what is cut by others, or has no room on a file system
// that copies what is changed, ends a process by SIGBUS there. After SIGKILL it is in the page cache all the same, whole,
// as the kernel copies so few bytes at once.

/// The file beside a ``StoreFile`` that says how far that one was written.
final class CommitFile {
    /// What stands behind the path of the file that it belongs to.
    static let suffix = "-commit"

    /// What it says.
    struct Mark: Equatable {
        /// Which file it belongs to: a number by chance, which stands in that one, too.
        var identity: UInt64 = 0
        /// The number of the last commit whose effects may have been carried out.
        var number: UInt64 = 0
        /// The start of the machine at which it was written.
        var boot = BootClock.Boot(high: 0, low: 0)
        /// Whether the file was closed after that commit.
        var isClosed = false
        /// How far serials and instances are reserved: the body of that record, if there is one.
        var counters: [UInt8] = []
    }

    /// What is found.
    enum Finding: Equatable {
        /// There is none.
        case missing
        /// It can't be read, or is not what was written.
        case damaged(String)
        case mark(Mark)

        /// What it says; nil: nothing that can be believed.
        var mark: Mark? { if case .mark(let mark) = self { mark } else { nil } }
    }

    private static let byteCount = 80
    private static let mostCounters = 31
    /// "flowcmt" and the format's version.
    private static let magic: UInt64 = 0x666c_6f77_636d_7401

    private let descriptor: Int32

    /// Opens the one beside a file to write it, or makes it. Only who has that file's lock may do so.
    init(beside path: String) throws(StoreFailure) {
        let name = path + Self.suffix
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Files.failure(name, "open") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw StoreFailure(.unwritable, "'\(name)' is not a file")
        }
        if status.st_mode & 0o077 != 0 { fchmod(descriptor, status.st_mode & 0o700) }
        // What others may have put behind it.
        if status.st_size > Self.byteCount { ftruncate(descriptor, off_t(Self.byteCount)) }
    }

    deinit { close(descriptor) }

    /// Writes it.
    ///
    /// - Returns: whether it was.
    @discardableResult func write(_ mark: Mark) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { bytes in
            func put(_ number: UInt64, at place: Int) {
                bytes.storeBytes(of: number.littleEndian, toByteOffset: place, as: UInt64.self)
            }
            put(Self.magic, at: 0)
            put(mark.identity, at: 8)
            put(mark.number, at: 16)
            put(mark.boot.high, at: 24)
            put(mark.boot.low, at: 32)
            for place in stride(from: 40, to: 72, by: 8) { put(0, at: place) }
            // Longer ones are not written by anyone.
            let count = min(mark.counters.count, Self.mostCounters)
            bytes[40] = UInt8(count) | (mark.isClosed ? 0x80 : 0)
            for place in 0..<count { bytes[41 + place] = mark.counters[place] }
            put(Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<72]), seed: Self.magic), at: 72)
            return pwrite(descriptor, bytes.baseAddress, Self.byteCount, 0) == Self.byteCount
        }
    }

    /// Looks at the one beside a file.
    static func read(beside path: String) -> Finding {
        let name = path + suffix
        let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .missing }
            return .damaged("can't be read: " + (strerror(errno).map { String(cString: $0) } ?? "open failed"))
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: byteCount + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count == byteCount else {
            return .damaged(count < 0 ? "can't be read" : "has \(count) bytes; it has to have \(byteCount)")
        }
        return bytes.withUnsafeBytes { bytes in
            func number(at place: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            }
            guard number(at: 0) == magic else { return .damaged("does not begin as such a file does") }
            let checksum = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<72]), seed: magic)
            guard number(at: 72) == checksum else { return .damaged("has another checksum than its bytes") }
            return .mark(
                Mark(
                    identity: number(at: 8), number: number(at: 16),
                    boot: BootClock.Boot(high: number(at: 24), low: number(at: 32)), isClosed: bytes[40] & 0x80 != 0,
                    counters: Array(bytes[41..<41 + Int(bytes[40] & 0x1f)])))
        }
    }
}
