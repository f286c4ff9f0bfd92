import Foundation
import Platform

/// Writes files under a temporary name until they are complete, so that readers never see half of one.
///
/// Only a regular file is replaced, with its mode and, where this user may, its owner kept; a symlink is followed, and a
/// device or a FIFO is written to.
enum OutputFile {
    /// Writes a file, replacing an existing one; after an error that is as it was.
    static func write(_ text: String, to path: String) throws {
        var former = stat()
        guard stat(path, &former) == 0 else {
            return try replace(path, former: nil, text)
        }
        switch former.st_mode & S_IFMT {
        case S_IFDIR:
            throw CommandFailure("cannot write \(path): it is a folder", hint: "name a file in it")
        case S_IFREG:
            try replace(path, former: former, text)
        default:
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0, put(text, into: descriptor) else {
                throw failure(path)
            }
        }
    }

    private static func replace(_ path: String, former: stat?, _ text: String) throws {
        let target = try target(of: path)
        let unfinished = "\(target).\(getpid()).tmp"
        // What replaces a file is never readable by more than the file was.
        let descriptor = open(
            unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, former.map { $0.st_mode & 0o700 } ?? 0o666)
        guard descriptor >= 0 else {
            throw failure(path)
        }
        defer { unlink(unfinished) }
        if let former {
            // Who may not give the file to its former group gives another one no rights, either.
            let isKept = fchown(descriptor, former.st_uid, former.st_gid) == 0
            guard fchmod(descriptor, former.st_mode & (isKept ? 0o777 : 0o707)) == 0 else {
                let problem = failure(path)
                close(descriptor)
                throw problem
            }
        }
        guard put(text, into: descriptor), rename(unfinished, target) == 0 else {
            throw failure(path)
        }
    }

    /// Writes the text and closes the file; when false, `errno` says what went wrong.
    private static func put(_ text: String, into descriptor: Int32) -> Bool {
        let number = Terminal.writeAll(Array(text.utf8), to: descriptor)
        let isClosed = close(descriptor) == 0
        if number != 0 {
            errno = number
        }
        return number == 0 && isClosed
    }

    /// The file that is written: where a symlink leads, or would lead.
    private static func target(of path: String) throws -> String {
        do throws(ResolvedPath.Problem) {
            return try ResolvedPath(path).text
        } catch {
            throw CommandFailure("cannot write \(path): \(error.reason)")
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("cannot write \(path): \(String(cString: strerror(errno)))")
    }

    /// Writes whole files into a folder, which is made if there is none; an existing file is replaced.
    static func write(_ files: [(name: String, text: String)], toFolder path: String) throws {
        do {
            let folder = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files {
                try write(file.text, to: folder.appendingPathComponent(file.name).path)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.cannotWrite(path, error)
        }
    }
}
