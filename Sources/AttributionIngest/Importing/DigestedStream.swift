import Platform

/// The bytes of a file to import, from the first to the last it had when it was opened, and their digests.
///
/// What is appended meanwhile is left for another time.
final class DigestedStream {
    let file: FileStream
    /// Over the bytes read since the beginning.
    private var hash = SHA256()

    /// Opens a file; `-` is standard input.
    init(_ name: String) throws(ImportFailure) {
        do {
            file = try FileStream(name)
        } catch {
            throw ImportFailure(error)
        }
    }

    /// The next bytes up to an offset; nil when there are none.
    func next(upTo end: Int64 = .max) throws(ImportFailure) -> [UInt8]? {
        let bytes: [UInt8]?
        do {
            bytes = try file.next(upTo: min(end, file.size ?? .max) - file.position)
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
        guard let size = file.size, rewind() else {
            return nil
        }
        var digests: [Int64: [UInt8]] = [:]
        for length in lengths + [size] {
            while try next(upTo: length) != nil {}
            if file.position == length {
                digests[length] = digest
            }
        }
        return rewind() ? digests : nil
    }

    private func rewind() -> Bool {
        guard file.rewind() else {
            return false
        }
        hash = SHA256()
        return true
    }
}
