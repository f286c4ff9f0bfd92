import Foundation

/// Writes files under a temporary name until they are complete, so that readers never see half of one.
enum OutputFile {
    /// Writes a file, replacing an existing one.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - write: Called with a closure that takes each piece of the text.
    /// - Throws: ``CommandFailure`` naming the file, with an existing file left as it was.
    static func write(to path: String, _ write: (_ piece: (String) -> Void) -> Void) throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw CommandFailure("cannot write \(path): it is a folder", hint: "name a file in it")
        }
        let unfinished = "\(path).\(getpid()).tmp"
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw failure(path)
        }
        defer { unlink(unfinished) }
        var problem: CommandFailure?
        var buffer: [UInt8] = []
        func putOut() {
            if problem == nil, !writeAll(buffer, to: descriptor) {
                problem = failure(path)
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
        if problem == nil, rename(unfinished, path) != 0 {
            problem = failure(path)
        }
        if let problem {
            throw problem
        }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("cannot write \(path): \(String(cString: strerror(errno)))")
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var pending = bytes[...]
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
