import Foundation
import Platform

/// Writes files under a temporary name until they are complete, so that readers never see half of one.
///
/// Only a regular file is replaced, with its mode and, where this user may, its owner kept; a symlink is followed, and a
/// device or a FIFO is written to.
enum OutputFile {
    /// Writes a file, replacing an existing one; after an error that is as it was.
    static func write(_ text: String, to path: String) throws {
        let draft = try Draft(path)
        try draft.write(text)
        try draft.finish()
    }

    /// A file that is written in pieces; one that is not finished is removed.
    final class Draft {
        private let path: String
        private let target: String
        private var descriptor: Int32
        /// The file under its temporary name; nil for a device or a FIFO, and when there is none any more.
        private var unfinished: String?
        private var buffer: [UInt8] = []

        init(_ path: String) throws {
            self.path = path
            var former = stat()
            let exists = stat(path, &former) == 0
            switch exists ? former.st_mode & S_IFMT : S_IFREG {
            case S_IFDIR:
                throw CommandFailure("cannot write \(path): it is a folder", hint: "name a file in it")
            case S_IFREG:
                target = try OutputFile.target(of: path)
                let name = "\(target).\(getpid()).tmp"
                // What replaces a file is never readable by more than the file was.
                descriptor = open(
                    name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? former.st_mode & 0o700 : 0o666)
                unfinished = descriptor >= 0 ? name : nil
            default:
                target = path
                descriptor = open(path, O_WRONLY | O_CLOEXEC)
            }
            guard descriptor >= 0 else {
                throw OutputFile.failure(path)
            }
            if exists, unfinished != nil {
                // Who may not give the file to its former group gives another one no rights, either.
                let isKept = fchown(descriptor, former.st_uid, former.st_gid) == 0
                guard fchmod(descriptor, former.st_mode & (isKept ? 0o777 : 0o707)) == 0 else {
                    throw OutputFile.failure(path)
                }
            }
        }

        deinit {
            if descriptor >= 0 {
                close(descriptor)
            }
            if let unfinished {
                unlink(unfinished)
            }
        }

        func write(_ text: String) throws {
            buffer += text.utf8
            if buffer.count >= 1 << 16 {
                try flush()
            }
        }

        /// Writes what is still buffered, and gives the file its name.
        func finish() throws {
            try flush()
            let status = close(descriptor)
            descriptor = -1
            guard status == 0, unfinished.map({ rename($0, target) == 0 }) ?? true else {
                throw OutputFile.failure(path)
            }
            unfinished = nil
        }

        private func flush() throws {
            let number = Terminal.writeAll(buffer, to: descriptor)
            guard number == 0 else {
                errno = number
                throw OutputFile.failure(path)
            }
            buffer.removeAll(keepingCapacity: true)
        }
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
