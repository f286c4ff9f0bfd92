import Foundation
import Platform

/// Writes files under a temporary name until they are complete, so that readers never see half of one.
///
/// Only a regular file is replaced, with its mode and, where this user may, its owner kept; a symlink is followed, and a
/// device or a FIFO is written to.
enum OutputFile {
    /// Writes a file in pieces, replacing an existing one; after an error that is as it was.
    static func write(to path: String, _ write: (_ piece: (String) -> Void) -> Void) throws {
        var former = stat()
        guard stat(path, &former) == 0 else {
            return try replace(path, former: nil, write)
        }
        switch former.st_mode & S_IFMT {
        case S_IFDIR:
            throw CommandFailure("cannot write \(path): it is a folder", hint: "name a file in it")
        case S_IFREG:
            try replace(path, former: former, write)
        default:
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw failure(path)
            }
            if let problem = put(write, into: descriptor, named: path) {
                throw problem
            }
        }
    }

    private static func replace(
        _ path: String, former: stat?, _ write: (_ piece: (String) -> Void) -> Void
    ) throws {
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
        if let problem = put(write, into: descriptor, named: path) {
            throw problem
        }
        guard rename(unfinished, target) == 0 else {
            throw failure(path)
        }
    }

    /// Writes the pieces and closes the file; returns what went wrong.
    private static func put(
        _ write: (_ piece: (String) -> Void) -> Void, into descriptor: Int32, named path: String
    ) -> CommandFailure? {
        var problem: CommandFailure?
        var buffer: [UInt8] = []
        func putOut() {
            if problem == nil {
                let number = Terminal.writeAll(buffer, to: descriptor)
                problem = number == 0 ? nil : failure(path, number)
            }
            buffer.removeAll(keepingCapacity: true)
        }
        write { piece in
            buffer += piece.utf8
            if buffer.count >= 1 << 16 {
                putOut()
            }
        }
        putOut()
        if close(descriptor) != 0, problem == nil {
            problem = failure(path)
        }
        return problem
    }

    /// The file that is written: where a symlink leads, or would lead.
    private static func target(of path: String) throws -> String {
        do throws(ResolvedPath.Problem) {
            return try ResolvedPath(path).text
        } catch {
            throw CommandFailure("cannot write \(path): \(error.reason)")
        }
    }

    private static func failure(_ path: String, _ number: Int32 = errno) -> CommandFailure {
        CommandFailure("cannot write \(path): \(String(cString: strerror(number)))")
    }

    /// Writes whole files into a folder, which is made if there is none; an existing file is replaced.
    static func write(_ files: [(name: String, text: String)], toFolder path: String) throws {
        do {
            let folder = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files {
                try write(to: folder.appendingPathComponent(file.name).path) { $0(file.text) }
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.cannotWrite(path, error)
        }
    }
}
