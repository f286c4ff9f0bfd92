import Attribution
import Platform
import StrictJSON

/// What a destination knows us by, from a file of its own; it is never shown.
package enum DestinationSecret: Hashable, Sendable, CustomStringConvertible {
    /// The keys that sign requests: the one in use, and while it is replaced a second one.
    case signing([[UInt8]])
    /// What `{secret}` means in the URL or in a header.
    case token(String)

    package var description: String { "a secret, which is not shown" }

    /// The value of `{secret}`.
    var token: String? {
        if case .token(let token) = self { token } else { nil }
    }

    /// The prefix of a signing secret of Standard Webhooks.
    private static let prefix = "whsec_"

    /// Reads the file that the member `secret-file` names.
    ///
    /// - Parameters:
    ///   - fields: The destination.
    ///   - path: The path of the file.
    ///   - isToken: Whether the URL or a header has `{secret}`.
    /// - Throws: Why the file is not used, without what is in it.
    init(_ fields: DocumentFields, path: String, isToken: Bool) throws(DocumentProblem) {
        func wrong(_ found: String, _ expected: String, _ cure: String) -> DocumentProblem {
            fields.problem("secret-file", found: found, expected: expected, cure: cure)
        }
        let lines: [Substring]
        do throws(CheckedFile.Problem) {
            let file = try CheckedFile(path)
            try file.checkIsSecret()
            lines = String(decoding: try file.bytes(limit: 4096), as: UTF8.self)
                .split { $0 == "\n" || $0 == "\r\n" }
                .map { $0.drop(while: \.isWhitespace) }
        } catch {
            let expected = "a file that only its owner can read"
            switch error {
            case .unreadable(let reason):
                throw wrong("\(path): \(reason)", "a file with the secret", "check the path and who may read it")
            case .openToOthers(let mode), .changeableByOthers(let mode):
                throw wrong("\(path) with mode \(mode)", expected, "chmod 600 \(path)")
            case .ownedByAnother(let user):
                throw wrong("\(path) of another user (uid \(user))", expected, "chown USER \(path)")
            }
        }
        if isToken {
            guard lines.count == 1, (1...2048).contains(lines[0].utf8.count),
                lines[0].utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            else {
                throw wrong(
                    "\(path) with something else", "one line of visible ASCII, for the URL or a header has {secret}",
                    "write the token alone into the file")
            }
            self = .token(String(lines[0]))
            return
        }
        let keys = lines.compactMap { line -> [UInt8]? in
            guard line.hasPrefix(Self.prefix), let key = Base64.decode(String(line.dropFirst(Self.prefix.count))),
                (24...64).contains(key.count)
            else {
                return nil
            }
            return key
        }
        guard keys.count == lines.count, (1...2).contains(keys.count) else {
            throw wrong(
                "\(path) with something else",
                "one line, or two while the first is replaced, of \(Self.prefix) and the base64 of 24 to 64 bytes",
                "make one: echo \(Self.prefix)$(openssl rand -base64 32) > \(path); for a token, write {secret} in "
                    + "the URL or a header")
        }
        self = .signing(keys)
    }
}
