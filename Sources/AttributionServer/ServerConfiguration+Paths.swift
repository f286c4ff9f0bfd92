import AttributionAccess
import AttributionConsole
import AttributionListener
import AttributionSigning
import CheckedFiles
import PostgreSQLStore
import SQLiteStore

/// The files and sockets that a server uses: those that settings name, and those it makes beside them.
extension ServerConfiguration {
    private struct PathUse {
        let option: String
        let path: ResolvedPath
        let file: ResolvedPath.FileIdentity?

        /// A path whose folder does not exist is refused by whoever needs it.
        init?(_ option: String, _ path: String) {
            guard let path = try? ResolvedPath(path) else {
                return nil
            }
            (self.option, self.path, file) = (option, path, path.file)
        }

        /// Whether another setting would use the same file, perhaps by another name of it.
        func collides(with other: PathUse) -> Bool {
            option != other.option && (path == other.path || file != nil && file == other.file)
        }
    }

    /// The store's file without symlinks; nil for a database, or if there is no such folder.
    var storeFile: String? {
        guard let store, !PostgreSQLAddress.isAddress(store) else {
            return nil
        }
        return try? ResolvedPath(store).text
    }

    /// What keeps settings from being used together, because one would write or replace the file of another.
    ///
    /// - Parameter keys: The list of signing keys, if it can be read.
    /// - Returns: A problem for each path and each two settings.
    func pathProblems(keys: NetworkKeySet?) -> [Problem] {
        let written = writtenPaths
        let all = written + readPaths(keys)
        var problems: [Problem] = []
        for (index, use) in written.enumerated() {
            let others = Dictionary(grouping: all[(index + 1)...].filter(use.collides), by: \.option)
            for (option, others) in others.sorted(by: { $0.key < $1.key }) {
                let otherName = others.contains { $0.path == use.path } ? nil : others.first?.path.text
                problems.append(
                    Problem(
                        "\(use.option) and \(option) would both use \(use.path.text)"
                            + (otherName.map { ", which is the same file as \($0)" } ?? ""),
                        hint: "give each a file of its own"))
            }
        }
        return problems
    }

    /// What is written, replaced or listened at by a server, `skan tokens` or `skan campaigns`.
    private var writtenPaths: [PathUse] {
        var paths: [(String, String)] = []
        if let storeFile {
            for database in [storeFile, SQLiteWebAdLedger.path(besideStore: storeFile)] {
                paths += ["", "-wal", "-shm", "-journal"].map { ("--store", database + $0) }
            }
            paths += Self.paths(ofSocket: ConsoleSocket.path(besideStore: storeFile)).map { ("--store", $0) }
        }
        if case .socket(let path)? = signing {
            paths += Self.paths(ofSocket: path).map { ("--signing", $0) }
        }
        if let counts {
            paths.append(("--counts", counts))
        }
        if let tokens {
            for file in [tokens, AccessUses.path(besideList: tokens)] {
                paths += Self.paths(ofReplaced: file).map { ("--tokens", $0) }
            }
        }
        paths += campaigns.flatMap { Self.paths(ofReplaced: $0) }.map { ("--campaigns", $0) }
        return paths.compactMap { PathUse($0, $1) }
    }

    /// A socket, and the folder in which it is bound.
    private static func paths(ofSocket path: String) -> [String] {
        [path, SocketFile.folder(of: path)]
    }

    /// A file that is replaced as a whole, and where its new content is written first.
    private static func paths(ofReplaced path: String) -> [String] {
        guard let path = try? ResolvedPath(path) else {
            return []
        }
        return [path.text, FileReplacement.temporaryPath(of: path)]
    }

    /// What is only read or connected to, and may serve two settings.
    private func readPaths(_ keys: NetworkKeySet?) -> [PathUse] {
        var paths: [(String, String)] = []
        paths += [signingKeys].compactMap(\.self).map { ("--signing-keys", $0) }
        paths += (keys?.entries ?? []).map { ("--signing-keys", $0.file) }
        paths += (keys?.externalKeys ?? []).map { ("--signing-keys", $0.socket) }
        paths += [tlsCertificate].compactMap(\.self).map { ("--tls-certificate", $0) }
        paths += [tlsKey].compactMap(\.self).map { ("--tls-key", $0) }
        paths += testKeys.map { ("--trust-test-key", $0) }
        paths += schemas.map { ("--schema", $0) }
        return paths.compactMap { PathUse($0, $1) }
    }
}
