#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The path of a file without symlinks, whether or not the file exists: two paths of one file have the same.
package struct ResolvedPath: Hashable, Sendable {
    /// Why a path cannot be resolved.
    package struct Problem: Error, Hashable {
        /// What the system says.
        package let reason: String
        /// The folder that does not exist, if that is why.
        package let missingFolder: String?
    }

    package let text: String

    /// As many links as the kernel follows.
    private static let mostLinks = 40

    /// Resolves a path; one that leads to no file is resolved up to the name that the file would have.
    ///
    /// Throws if its folder does not exist or cannot be searched, and for links in a circle.
    package init(_ path: String) throws(Problem) {
        var path = path
        for _ in 0..<Self.mostLinks {
            if let resolved = Self.existing(path) {
                text = resolved
                return
            }
            guard errno == ENOENT else {
                break
            }
            let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
            let name = path[start...]
            guard !name.isEmpty, let folder = Self.existing(path[..<start] + "./") else {
                throw Problem(folder: path[..<start])
            }
            let file = (folder == "/" ? "" : folder) + "/" + name
            guard let link = Self.link(file) else {
                text = file
                return
            }
            path = link.hasPrefix("/") ? link : folder + "/" + link
        }
        throw Problem()
    }

    private static func existing(_ path: some StringProtocol) -> String? {
        guard let resolved = realpath(String(path), nil) else {
            return nil
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Where a link leads; nil for anything else.
    private static func link(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}

extension ResolvedPath {
    /// What all names of a file have in common: its device and inode.
    package struct FileIdentity: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    /// The file that is at the path now, which may have other names; nil if there is none.
    package var file: FileIdentity? {
        var status = stat()
        return stat(text, &status) == 0 ? FileIdentity(status) : nil
    }
}

extension ResolvedPath.Problem {
    /// What the system just said, of a folder that ends in a slash or of something else.
    fileprivate init(folder: Substring = "") {
        let error = errno
        reason = String(cString: strerror(error))
        missingFolder = error == ENOENT && !folder.isEmpty ? String(folder.dropLast()) : nil
    }
}
