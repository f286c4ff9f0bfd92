import AttributionAccess
import AttributionConsole
import AttributionSigning
import CheckedFiles
import PostgreSQLStore
import SQLiteStore

/// The files and sockets that settings name, and those made beside them, each of which one setting may use.
extension ServerConfiguration {
    private struct PathUse {
        let option: String
        let path: ResolvedPath

        /// A path whose folder does not exist is refused by whoever needs it.
        init?(_ option: String, _ path: String) {
            guard let path = try? ResolvedPath(path) else {
                return nil
            }
            (self.option, self.path) = (option, path)
        }
    }

    /// What keeps settings from being used together, because they would use one path.
    ///
    /// - Parameter keys: The list of signing keys, if it can be read.
    /// - Returns: A problem for each path and each two settings.
    func pathProblems(keys: NetworkKeySet?) -> [Problem] {
        let written = writtenPaths
        let all = written + readPaths(keys)
        var problems: [Problem] = []
        for (index, use) in written.enumerated() {
            let others = all[(index + 1)...].filter { $0.path == use.path && $0.option != use.option }
            for option in Set(others.map(\.option)).sorted() {
                problems.append(
                    Problem(
                        "\(use.option) and \(option) would both use \(use.path.text)",
                        hint: "give each a path of its own"))
            }
        }
        return problems
    }

    /// What a server or `skan tokens` writes or listens at.
    private var writtenPaths: [PathUse] {
        var paths: [(String, String)] = []
        if let store, !PostgreSQLAddress.isAddress(store) {
            // SQLite and the socket are beside what a symlink leads to.
            let file = (try? ResolvedPath(store).text) ?? store
            for database in [file, SQLiteWebAdLedger.path(besideStore: file)] {
                paths += ["", "-wal", "-shm", "-journal"].map { ("--store", database + $0) }
            }
            paths.append(("--store", ConsoleSocket.path(besideStore: file)))
        }
        if case .socket(let path)? = signing {
            paths.append(("--signing", path))
        }
        if let counts {
            paths.append(("--counts", counts))
        }
        if let tokens {
            paths += [("--tokens", tokens), ("--tokens", AccessUses.path(besideList: tokens))]
        }
        return paths.compactMap { PathUse($0, $1) }
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
        paths += campaigns.map { ("--campaigns", $0) }
        return paths.compactMap { PathUse($0, $1) }
    }
}
