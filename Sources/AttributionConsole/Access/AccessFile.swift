import Platform

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The file of a token list: readable by its owner only, and replaced as a whole, keeping owner and mode.
package struct AccessFile: Sendable {
    package let path: String

    /// A list of 256 tokens takes about 60 KiB.
    private static let limit = 1 << 20
    /// The mode of a new file.
    private static let mode: UInt32 = 0o600

    /// Identifies a version of the file: a replaced or changed file has a different stamp.
    struct Stamp: Equatable, Sendable {
        private let values: [Int64]

        init(_ status: stat) {
            values = [
                Int64(bitPattern: UInt64(status.st_dev)), Int64(bitPattern: UInt64(status.st_ino)),
                Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
                Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
            ]
        }
    }

    package init(_ path: String) {
        self.path = path
    }

    /// Reads the list, to show or change it: root may do so for the user of a service.
    package func load() throws(AccessProblem) -> AccessList {
        try read(isManaged: true).list
    }

    /// Reads, changes and replaces the list under a lock; it is on disk on return, and unchanged if the change throws.
    package func update<Result>(
        creatingFile: Bool,
        _ change: (inout AccessList) throws(AccessProblem) -> Result
    ) throws(AccessProblem) -> Result {
        let replacement: FileReplacement
        do throws(FileReplacement.Problem) {
            replacement = try FileReplacement(locking: path)
        } catch {
            throw .unwritable(file: path, reason: error.reason)
        }
        var list = creatingFile && currentStamp() == nil ? AccessList() : try load()
        let result = try change(&list)
        do throws(FileReplacement.Problem) {
            try replacement.replace(with: Array(list.document.utf8), mode: Self.mode)
        } catch {
            throw .unwritable(file: path, reason: error.reason)
        }
        return result
    }

    // MARK: Reading

    /// The current stamp of the file; nil when there is no file.
    func currentStamp() -> Stamp? {
        var status = stat()
        return stat(path, &status) == 0 ? Stamp(status) : nil
    }

    /// A list with the stamp of the file it was read from.
    package struct Reading: Sendable {
        package let list: AccessList
        let stamp: Stamp
    }

    /// Reads the list together with the stamp of its file, to accept its tokens.
    package func read() throws(AccessProblem) -> Reading {
        try read(isManaged: false)
    }

    private func read(isManaged: Bool) throws(AccessProblem) -> Reading {
        let status: stat
        let bytes: [UInt8]
        do throws(CheckedFile.Problem) {
            let file = try CheckedFile(path)
            try file.checkIsSecret(isManaged: isManaged)
            status = file.status
            bytes = status.st_size <= Self.limit ? try file.bytes(limit: Self.limit) : []
        } catch {
            throw AccessProblem(error, file: path, isMissing: currentStamp() == nil)
        }
        guard status.st_size <= Self.limit else {
            throw .malformed(file: path, reason: "found \(status.st_size) bytes, expected at most \(Self.limit)")
        }
        return Reading(list: try AccessList(document: bytes, file: path), stamp: Stamp(status))
    }

    // MARK: Writing

    /// Replaces the file as a whole, keeping owner and mode; a new file is readable by its owner only.
    func replace(with text: String) throws(AccessProblem) {
        do throws(FileReplacement.Problem) {
            try FileReplacement.replace(path, with: Array(text.utf8), mode: Self.mode)
        } catch {
            throw .unwritable(file: path, reason: error.reason)
        }
    }
}
