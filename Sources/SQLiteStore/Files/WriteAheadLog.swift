import AttributionStore
import Foundation

/// SQLite's write-ahead log, read through a separate descriptor; SQLite holds no locks on it that closing would drop.
///
/// - SeeAlso: [WAL-mode File Format](https://www.sqlite.org/walformat.html)
final class WriteAheadLog: Sendable {
    /// The device and inode.
    let identity: FileIdentity
    private let descriptor: CInt

    /// The size of the log's header in bytes.
    static let headerSize = 32
    /// The size of the header before each page, in bytes.
    static let frameHeaderSize = 24

    /// Opens the log; nil if there is none.
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

    /// The header before the valid frames.
    struct Header: Equatable, Sendable {
        fileprivate let bytes: [UInt8]
        let pageSize: Int
        /// A random number, incremented each time the log is reset.
        let firstSalt: UInt32
        fileprivate let isBigEndian: Bool
        fileprivate let checksum: (UInt32, UInt32)

        /// Parses a header; nil if its checksum is wrong.
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

        /// Whether this is the header that SQLite writes when it resets the log with an earlier header.
        ///
        /// The salt decides, because the header's reset counter is per connection; it is 0 if the connection found an
        /// index and had nothing to recover.
        func isSuccessor(of earlier: Header) -> Bool {
            firstSalt == earlier.firstSalt &+ 1 && pageSize == earlier.pageSize
        }
    }

    /// The current header; nil if it is incomplete or invalid.
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

    /// The size of a log with some frames, in bytes.
    static func size(frames: Int, pageSize: Int) -> Int64 {
        Int64(headerSize) + Int64(frames) * Int64(frameHeaderSize + pageSize)
    }

    /// A prefix of frames with valid checksums; each checksum continues the one before.
    struct Verified: Sendable {
        fileprivate let header: Header
        fileprivate let frames: Int
        fileprivate let checksum: (UInt32, UInt32)
    }

    /// Verifies the checksums of frames.
    ///
    /// - Parameters:
    ///   - frames: How many frames there are, as of a commit.
    ///   - earlier: Frames to skip, unless the log was reset since they were verified.
    ///   - pauses: Whether it pauses in between, to let other threads run; nil if not.
    /// - Returns: The verified frames; nil if a frame is not what SQLite wrote.
    func verify(frames: Int, after earlier: Verified? = nil, _ pauses: CheckpointPauses? = nil) -> Verified? {
        guard let header = header() else {
            return nil
        }
        let start = earlier.flatMap { $0.header == header && $0.frames <= frames ? $0 : nil }
        var sum = start?.checksum ?? header.checksum
        var frame = start?.frames ?? 0
        let frameSize = Self.frameHeaderSize + header.pageSize
        let batchSize = max(1, (1 << 17) / frameSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: batchSize * frameSize, alignment: 16)
        defer { buffer.deallocate() }
        while frame < frames {
            let count = min(batchSize, frames - frame)
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
            if pauses?.areOn == true {
                Turns.pause()
            }
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
