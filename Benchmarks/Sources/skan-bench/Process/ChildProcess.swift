import Foundation
import Glibc

/// A program that was started, with its streams in files.
final class ChildProcess {
    let pid: pid_t
    private let name: String
    private let workspace: Workspace
    private let stopwatch: Stopwatch
    private var ending: Ending?

    struct Ending {
        /// The exit status, or 128 and the signal.
        let status: Int32
        let seconds: Double
    }

    /// Starts a program, looked up in PATH, on the cores named as `taskset` has them; the streams are files.
    init(
        _ arguments: [String], on cores: String, in workspace: Workspace, input: String = "/dev/null",
        output: String = "/dev/null", errors: String = "/dev/null"
    ) throws {
        let words = ["taskset", "-c", cores] + arguments
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        // The signals this program ignores and handles itself are not to be ignored there.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var strings = words.map { strdup($0) } + [nil]
        defer { strings.forEach { free($0) } }
        var pid: pid_t = 0
        stopwatch = Stopwatch()
        let error = posix_spawnp(&pid, words[0], &actions, &attributes, &strings, environ)
        guard error == 0 else {
            throw BenchmarkFailure("cannot start \(words[0]): \(String(cString: strerror(error)))")
        }
        self.pid = pid
        self.workspace = workspace
        name = arguments.prefix(2).joined(separator: " ")
        workspace.began(pid)
    }

    /// How it ended; nil while it runs.
    func poll() -> Ending? {
        if let ending {
            return ending
        }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else {
            return nil
        }
        let code = status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
        let ending = Ending(status: code, seconds: stopwatch.seconds)
        workspace.ended(pid)
        self.ending = ending
        return ending
    }

    /// Waits for its end; kills it after the limit.
    func wait(atMost limit: Double) throws -> Ending {
        while true {
            if let ending = poll() {
                return ending
            }
            let elapsed = stopwatch.seconds
            guard elapsed < limit else {
                kill(pid, SIGKILL)
                usleep(100_000)
                _ = poll()
                throw BenchmarkFailure("\(name) did not end within \(Int(limit)) s")
            }
            // Short programs are timed to a few tenths of a millisecond, long ones are left in peace.
            usleep(UInt32(min(5_000, max(200, elapsed * 1e6 / 100))))
        }
    }

    /// Asks it to end, and insists after ten seconds.
    func terminate() {
        guard poll() == nil else {
            return
        }
        kill(pid, SIGTERM)
        for _ in 0..<1_000 where poll() == nil {
            usleep(10_000)
        }
        if poll() == nil {
            kill(pid, SIGKILL)
            usleep(100_000)
            _ = poll()
        }
    }
}

extension ChildProcess {
    /// Runs a program to its end and returns what it wrote to standard output.
    static func output(
        of arguments: [String], on cores: String = Core.both, in workspace: Workspace, input: String = "/dev/null",
        atMost limit: Double = 60
    ) throws -> String {
        let output = workspace.file("output")
        let errors = workspace.file("errors")
        let ending = try ChildProcess(
            arguments, on: cores, in: workspace, input: input, output: output, errors: errors
        ).wait(atMost: limit)
        guard ending.status == 0 else {
            let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw BenchmarkFailure("\(arguments.prefix(2).joined(separator: " ")): status \(ending.status)\n\(text)")
        }
        return try String(contentsOfFile: output, encoding: .utf8)
    }
}
