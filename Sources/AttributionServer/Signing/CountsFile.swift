import Attribution
import Foundation

/// A file of lines that several processes may append to, and that may be moved away at any time.
struct CountsFile: Sendable {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Why the file cannot be written.
    struct Problem: CodedError, CustomStringConvertible {
        let code = ErrorCode.unwritableFile
        let description: String
        let hint: String?
    }

    /// Refuses a path that ``append(_:)`` would refuse, without making or changing the file.
    func check() throws(Problem) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw notRegular
            }
            guard access(path, R_OK | W_OK) == 0 else { throw problem() }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw problem() }
            defer { close(descriptor) }
            guard fstat(descriptor, &status) == 0 else { throw problem() }
            _ = try wholeLines(descriptor, size: status.st_size)
        } else {
            guard access(folder, R_OK | W_OK | X_OK) == 0 else { throw problem() }
        }
    }

    /// Appends whole lines, and returns once they are on disk.
    func append(_ lines: [UInt8]) throws(Problem) {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o640)
        guard descriptor >= 0 else { throw problem() }
        defer { close(descriptor) }
        var status = stat()
        guard flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0 else { throw problem() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw notRegular
        }
        if status.st_size == 0 {
            // It may just have been made, and its name be in memory alone.
            try syncFolder()
        }
        let end = try endOfLines(descriptor, size: status.st_size)
        var written = 0
        while written < lines.count {
            let count = lines.withUnsafeBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress?.advanced(by: written), lines.count - written)
            }
            guard count > 0 else {
                let problem = problem()
                _ = ftruncate(descriptor, end)
                throw problem
            }
            written += count
        }
        guard fsync(descriptor) == 0 else {
            let problem = problem()
            _ = ftruncate(descriptor, end)
            throw problem
        }
    }

    private var folder: String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private func syncFolder() throws(Problem) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw problem() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw problem() }
    }

    /// More than the longest line.
    private static let longestLine = 4_096
    /// How every line begins.
    private static let beginning = Array(#"{"version":"#.utf8)

    /// The end of the last whole line; cuts off a part of a line that a process left behind when it was killed.
    private func endOfLines(_ descriptor: Int32, size: off_t) throws(Problem) -> off_t {
        let end = try wholeLines(descriptor, size: size)
        guard end == size || ftruncate(descriptor, end) == 0 else { throw problem() }
        return end
    }

    /// Where the last whole line ends.
    private func wholeLines(_ descriptor: Int32, size: off_t) throws(Problem) -> off_t {
        let count = min(Int(size), 2 * Self.longestLine)
        var bytes = [UInt8](repeating: 0, count: count)
        guard pread(descriptor, &bytes, count, size - off_t(count)) == count else { throw problem() }
        let lineBreak = UInt8(ascii: "\n")
        let rest = bytes[(bytes.lastIndex(of: lineBreak).map { $0 + 1 } ?? 0)...]
        let lines = bytes[..<rest.startIndex].dropLast()
        let last = lines[(lines.lastIndex(of: lineBreak).map { $0 + 1 } ?? 0)...]
        guard rest.count < Self.longestLine, zip(rest, Self.beginning).allSatisfy(==),
            rest.startIndex == 0 || last.starts(with: Self.beginning)
        else {
            throw Problem(
                description: "cannot write \(path): it does not end with a line of counts", hint: "choose another path")
        }
        return size - off_t(rest.count)
    }

    private var notRegular: Problem {
        Problem(description: "cannot write \(path): it is not a regular file", hint: "choose another path")
    }

    private func problem() -> Problem {
        Problem(
            description: "cannot write \(path): \(String(cString: strerror(errno)))",
            hint: "check that the folder exists, can be written and has room")
    }
}
