import Hashing

/// The bytes of a file to import, from the first to the last it had when it was opened, and their digests.
///
/// What is appended meanwhile is left for another time.
final class DigestedStream {
    private let stream: FileStream
    /// Over the bytes read since the beginning.
    private var hash = SHA256()

    /// Opens a file; `-` is standard input.
    init(_ name: String) throws(ImportFailure) {
        do {
            stream = try FileStream(name)
        } catch {
            throw ImportFailure(error)
        }
    }

    var name: String {
        stream.name
    }

    /// Nil where it is not known, as of standard input.
    var size: Int64? {
        stream.size
    }

    /// Whether somebody has written to the file since it was opened; it may only have grown.
    var hasChanged: Bool {
        stream.hasChanged
    }

    /// How much of the file was read, for display.
    var progress: String {
        stream.progress
    }

    /// The next bytes; nil at the end.
    func next() throws(ImportFailure) -> [UInt8]? {
        let bytes: [UInt8]?
        do {
            bytes = try stream.next(upTo: size.map { $0 - stream.position } ?? .max)
        } catch {
            throw ImportFailure(error)
        }
        if let bytes {
            hash.update(bytes)
        }
        return bytes
    }

    /// The digest of what was read since the beginning.
    var digest: [UInt8] {
        hash.digestSoFar().bytes
    }

    /// The digests of the beginnings of the file, and of the whole of it, which is the last one; then the file is at its
    /// beginning again.
    ///
    /// - Parameter lengths: How long the beginnings are, ascending, at most the file's size.
    /// - Returns: The digests by length; nil for what cannot be read twice.
    /// - Throws: ``ImportFailure`` when it cannot be read.
    func digests(_ lengths: [Int64]) throws(ImportFailure) -> [Int64: [UInt8]]? {
        guard let size, rewind() else {
            return nil
        }
        var digests: [Int64: [UInt8]] = [:]
        var hash = SHA256()
        var pending = (lengths + [size])[...]
        var offset: Int64 = 0
        while let bytes = try next() {
            var rest = bytes[...]
            while let length = pending.first, length < offset + Int64(rest.count) {
                let part = rest.prefix(Int(length - offset))
                hash.update(Array(part))
                rest = rest.dropFirst(part.count)
                offset = length
                digests[length] = hash.digestSoFar().bytes
                pending.removeFirst()
            }
            hash.update(Array(rest))
            offset += Int64(rest.count)
        }
        for length in pending where length == offset {
            digests[length] = hash.digestSoFar().bytes
        }
        return rewind() ? digests : nil
    }

    private func rewind() -> Bool {
        guard stream.rewind() else {
            return false
        }
        hash = SHA256()
        return true
    }
}
