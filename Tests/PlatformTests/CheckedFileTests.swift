import Foundation
import Platform
import Testing

@Suite("A checked file")
struct CheckedFileTests {
    /// Runs with a path in its own folder.
    private func withPath(_ body: (_ path: String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "checked-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder + "/file")
    }

    private func make(_ path: String, mode: mode_t, owner: uid_t? = nil) throws {
        try Data("secret".utf8).write(to: URL(fileURLWithPath: path))
        try #require(chmod(path, mode) == 0)
        if let owner {
            try #require(chown(path, owner, owner) == 0)
        }
    }

    private func read(_ path: String, limit: Int = 100) throws -> String {
        let file = try CheckedFile(path)
        return String(decoding: try file.bytes(limit: limit), as: UTF8.self)
    }

    private func secret(_ path: String, isManaged: Bool = false) throws -> String {
        let file = try CheckedFile(path)
        try file.checkIsSecret(isManaged: isManaged)
        return String(decoding: try file.bytes(limit: 100), as: UTF8.self)
    }

    /// Modes, and whether a secret of this user may have them.
    static let modes: [(mode_t, isSecret: Bool)] = [
        (0o600, true), (0o400, true), (0o700, true),
        // systemd's credentials, and Kubernetes' secrets with defaultMode 0400 and an fsGroup.
        (0o440, true),
        (0o640, false), (0o460, false), (0o450, false), (0o444, false), (0o644, false), (0o604, false), (0o620, false),
        (0o610, false), (0o602, false), (0o601, false), (0o666, false),
    ]

    @Test("A secret is private to its owner, or read-only for its group", arguments: modes)
    func mode(_ mode: mode_t, _ isSecret: Bool) throws {
        try withPath { path in
            try make(path, mode: mode)
            if isSecret {
                #expect(try secret(path) == "secret")
            } else {
                #expect(throws: CheckedFile.Problem.openToOthers(mode: "0" + String(mode, radix: 8))) {
                    try secret(path)
                }
            }
        }
    }

    /// The owner is somebody else: a file its group can read was handed over by root or is not for us.
    static let foreignModes: [(mode_t, isManageable: Bool)] = [
        (0o600, true), (0o400, true), (0o440, false), (0o640, false),
    ]

    @Test(
        "A group may read a secret only of root or of its user", .enabled(if: geteuid() == 0), arguments: foreignModes)
    func owner(_ mode: mode_t, _ isManageable: Bool) throws {
        try withPath { path in
            try make(path, mode: mode, owner: 65_534)
            #expect((try? secret(path)) == nil)
            #expect((try? secret(path, isManaged: true)) == (isManageable ? "secret" : nil))
        }
    }

    /// Who owns a private file, who skan runs as, and whether that user may use it, and change it for its owner.
    static let users: [(owner: uid_t, user: uid_t, isUsable: Bool, isManageable: Bool)] = [
        (65_534, 65_533, false, false), (65_534, 65_534, true, true), (0, 65_533, true, true), (0, 0, true, true),
        (65_534, 0, false, true),
    ]

    @Test(
        "A secret belongs to root or to its user; root may change that of another, but not use it",
        .enabled(if: geteuid() == 0), arguments: users)
    func user(_ owner: uid_t, _ user: uid_t, _ isUsable: Bool, _ isManageable: Bool) throws {
        try withPath { path in
            for mode: mode_t in [0o600, 0o400] {
                try make(path, mode: mode, owner: owner)
                for (isManaged, isAllowed) in [(false, isUsable), (true, isManageable)] {
                    var problem: CheckedFile.Problem?
                    do throws(CheckedFile.Problem) {
                        try CheckedFile(path).checkIsSecret(of: user, isManaged: isManaged)
                    } catch {
                        problem = error
                    }
                    #expect(problem == (isAllowed ? nil : .ownedByAnother(user: owner)))
                }
            }
        }
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let make: @Sendable (_ path: String) throws -> Void
    }

    static let kinds = [
        Kind(testDescription: "nothing", reason: "no such file") { _ in },
        Kind(testDescription: "a folder", reason: "it is a folder") {
            try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false)
        },
        Kind(testDescription: "a FIFO that nobody writes to", reason: "it is not a regular file") {
            try #require(mkfifo($0, 0o600) == 0)
        },
        Kind(testDescription: "a link to a FIFO", reason: "it is not a regular file") {
            try #require(mkfifo($0 + ".fifo", 0o600) == 0 && symlink($0 + ".fifo", $0) == 0)
        },
        Kind(testDescription: "a device", reason: "it is not a regular file") {
            try #require(symlink("/dev/zero", $0) == 0)
        },
        Kind(testDescription: "a link to nothing", reason: "no such file") {
            try #require(symlink($0 + ".none", $0) == 0)
        },
    ]

    @Test("Anything but a regular file is refused without blocking", .timeLimit(.minutes(5)), arguments: kinds)
    func kind(_ kind: Kind) throws {
        try withPath { path in
            try kind.make(path)
            #expect(throws: CheckedFile.Problem.unreadable(reason: kind.reason)) {
                try read(path)
            }
        }
    }

    @Test("A symbolic link is followed, as Kubernetes mounts secrets, and its target is checked")
    func link() throws {
        try withPath { path in
            try make(path + ".data", mode: 0o400)
            try #require(symlink(path + ".data", path) == 0)
            #expect(try secret(path) == "secret")
            try #require(chmod(path + ".data", 0o644) == 0)
            #expect(throws: CheckedFile.Problem.openToOthers(mode: "0644")) { try secret(path) }
        }
    }

    @Test("A file longer than the limit is refused unread", arguments: [(5, false), (6, true)])
    func limit(_ limit: Int, _ isRead: Bool) throws {
        try withPath { path in
            try make(path, mode: 0o644)
            if isRead {
                #expect(try read(path, limit: limit) == "secret")
            } else {
                let problem = CheckedFile.Problem.unreadable(reason: "found 6 bytes, expected at most 5")
                #expect(throws: problem) { try read(path, limit: limit) }
            }
        }
    }
}
