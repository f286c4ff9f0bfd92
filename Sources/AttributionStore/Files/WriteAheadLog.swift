import Foundation

/// SQLite's write-ahead log, read through a descriptor of our own; SQLite takes no locks on it that closing would drop.
///
/// - SeeAlso: [WAL-mode File Format](https://www.sqlite.org/walformat.html)
final class WriteAheadLog: Sendable {
    /// Which file it is.
    let identity: FileIdentity
    private let descriptor: CInt

    /// The bytes of a log's header.
    static let headerSize = 32
    /// The bytes before each page.
    static let frameHeaderSize = 24

    /// Opens the log; nil when there is none.
    init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return nil
        }
        guard let status = FileStatus(descriptor: descriptor), status.isRegular else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        identity = status.identity
    }

    deinit {
        close(descriptor)
    }

    /// The header with which the frames that count begin.
    struct Header: Equatable, Sendable {
        fileprivate let bytes: [UInt8]
        let pageSize: Int
        /// Incremented each time the log is reset, from a random number on.
        let firstSalt: UInt32
        fileprivate let isBigEndian: Bool
        fileprivate let checksum: (UInt32, UInt32)

        /// Reads a header; nil when its checksum does not hold.
        init?(_ bytes: [UInt8]) {
            guard bytes.count == WriteAheadLog.headerSize else {
                return nil
            }
            func number(at offset: Int) -> UInt32 {
                bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
            }
            guard [0x377F_0682, 0x377F_0683].contains(number(at: 0)) else {
                return nil
            }
            self.bytes = bytes
            pageSize = Int(number(at: 8))
            firstSalt = number(at: 16)
            isBigEndian = number(at: 0) == 0x377F_0683
            checksum = bytes.withUnsafeBytes { [isBigEndian] in
                WriteAheadLog.checksum(UnsafeRawBufferPointer(rebasing: $0[..<24]), (0, 0), isBigEndian)
            }
            guard checksum == (number(at: 24), number(at: 28)), (512...65_536).contains(pageSize) else {
                return nil
            }
        }

        static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.bytes == rhs.bytes
        }

        /// Whether this is what SQLite writes when it resets the log of an earlier header.
        ///
        /// The salt tells, not the counter of resets in the header: each connection has a counter of its own, which is 0
        /// in one that found an index of the log and so had nothing to recover.
        func isSuccessor(of earlier: Header) -> Bool {
            firstSalt == earlier.firstSalt &+ 1 && pageSize == earlier.pageSize
        }
    }

    /// The header as it is in the file now; nil for anything but a whole and valid one.
    func header() -> Header? {
        var bytes = [UInt8](repeating: 0, count: Self.headerSize)
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else {
            return nil
        }
        return Header(bytes)
    }

    /// The size in bytes.
    var size: Int64 {
        FileStatus(descriptor: descriptor)?.size ?? 0
    }

    /// The bytes that a number of frames take up, with the header.
    static func size(frames: Int, pageSize: Int) -> Int64 {
        Int64(headerSize) + Int64(frames) * Int64(frameHeaderSize + pageSize)
    }

    /// Frames whose checksums hold, each building on the one before it.
    struct Verified: Sendable {
        fileprivate let header: Header
        fileprivate let frames: Int
        fileprivate let checksum: (UInt32, UInt32)
    }

    /// Reads frames and compares them with their checksums.
    ///
    /// - Parameters:
    ///   - frames: How many there must be, as of a commit.
    ///   - earlier: Those that need not be read again, unless the log was begun again since.
    /// - Returns: What was verified; nil when a frame is not what SQLite wrote there.
    func verify(frames: Int, after earlier: Verified? = nil) -> Verified? {
        guard let header = header() else {
            return nil
        }
        let start = earlier.flatMap { $0.header == header && $0.frames <= frames ? $0 : nil }
        var sum = start?.checksum ?? header.checksum
        var frame = start?.frames ?? 0
        let frameSize = Self.frameHeaderSize + header.pageSize
        let atOnce = max(1, (1 << 20) / frameSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce * frameSize, alignment: 16)
        defer { buffer.deallocate() }
        while frame < frames {
            let count = min(atOnce, frames - frame)
            let offset = Self.size(frames: frame, pageSize: header.pageSize)
            guard pread(descriptor, buffer.baseAddress, count * frameSize, off_t(offset)) == count * frameSize else {
                return nil
            }
            for index in 0..<count {
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[(index * frameSize)..<((index + 1) * frameSize)])
                guard bytes[8..<16].elementsEqual(header.bytes[16..<24]) else {
                    return nil
                }
                sum = Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<8]), sum, header.isBigEndian)
                sum = Self.checksum(UnsafeRawBufferPointer(rebasing: bytes[24...]), sum, header.isBigEndian)
                let stored = (
                    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)),
                    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
                )
                guard stored == sum else {
                    return nil
                }
            }
            frame += count
        }
        return Verified(header: header, frames: frames, checksum: sum)
    }

    /// SQLite's checksum of a multiple of eight bytes.
    private static func checksum(
        _ bytes: UnsafeRawBufferPointer,
        _ start: (UInt32, UInt32),
        _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (first, second) = start
        var offset = 0
        while offset + 8 <= bytes.count {
            let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
            second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
            offset += 8
        }
        return (first, second)
    }
}
