import CSQLite
import Glibc

// SQLite reads its log up to the first damaged frame: all later commits are lost with that frame, and the file looks whole.
// So a second file has the number of the last commit.
//
// It is written by pwrite(2) and not mapped into memory: if others truncate a mapped file, or a file system that copies on
// write is full, the process ends by SIGBUS. After SIGKILL the bytes are in the page cache, and whole, as the kernel copies
// so few at once.

/// The file beside a ``StoreFile`` that has the number of its last commit.
final class CommitFile {
    /// Follows the path of the store in the path of the commit file.
    static let suffix = "-commit"

    /// Its contents.
    struct CommitMark: Equatable {
        /// Identifies the store: a random number that the store has, too.
        var identity: UInt64 = 0
        /// The number of the last commit whose effects may have been carried out.
        var number: UInt64 = 0
        /// The boot of the machine in which it was written.
        var boot = BootClock.Boot(high: 0, low: 0)
        /// Whether the store was closed after that commit.
        var isClosed = false
        /// Whether more may have been reserved than ``counters`` say, and no commit since has gone beyond that. A process that is
        /// killed before its first commit leaves it to the next one.
        var isUncertain = false
        /// The body of the record with the reserved serials and instances, if there is one.
        var counters: [UInt8] = []
    }

    /// The result of reading it.
    enum ReadResult: Equatable {
        /// There is none.
        case missing
        /// It can't be read, or is damaged.
        case damaged(String)
        case mark(CommitMark)

        /// The contents; nil if there are none, or they are damaged.
        var mark: CommitMark? { if case .mark(let mark) = self { mark } else { nil } }
    }

    private static let byteCount = 80
    private static let mostCounters = 31
    /// "flowcmt" and the format's version.
    private static let magic: UInt64 = 0x666c_6f77_636d_7401

    private let descriptor: Int32

    /// Opens or creates the commit file of a store for writing. The caller has to have the store's lock.
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
        // Others may have appended to it.
        if status.st_size > Self.byteCount { ftruncate(descriptor, off_t(Self.byteCount)) }
    }

    deinit { close(descriptor) }

    /// Writes the contents.
    ///
    /// - Returns: whether that succeeded.
    @discardableResult func write(_ mark: CommitMark) -> Bool {
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
            // They never are longer.
            let count = min(mark.counters.count, Self.mostCounters)
            bytes[40] = UInt8(count) | (mark.isClosed ? 0x80 : 0) | (mark.isUncertain ? 0x40 : 0)
            for place in 0..<count { bytes[41 + place] = mark.counters[place] }
            put(Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<72]), seed: Self.magic), at: 72)
            return pwrite(descriptor, bytes.baseAddress, Self.byteCount, 0) == Self.byteCount
        }
    }

    /// Waits until the disk has it; fdatasync(2). The only thing that is ever synced, once after the machine went down.
    func sync() { _ = fdatasync(descriptor) }

    /// Has the kernel begin to write it to the disk, without waiting for that; sync_file_range(2).
    func beginSync() { _ = flowbus_begin_sync(descriptor) }

    /// Reads the commit file of a store.
    static func read(beside path: String) -> ReadResult {
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
                CommitMark(
                    identity: number(at: 8), number: number(at: 16),
                    boot: BootClock.Boot(high: number(at: 24), low: number(at: 32)), isClosed: bytes[40] & 0x80 != 0,
                    isUncertain: bytes[40] & 0x40 != 0, counters: Array(bytes[41..<41 + Int(bytes[40] & 0x1f)])))
        }
    }
}
