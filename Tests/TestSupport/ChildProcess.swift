import CSpawn
package import Foundation
import Synchronization

/// What a ``ChildProcess`` has as one of its three streams.
package protocol ChildStream: Sendable {
    /// The descriptor of the child's end.
    func descriptor(isInput: Bool) -> Int32
}

extension Pipe: ChildStream {
    /// That of the end for reading, for an input.
    package func descriptor(isInput: Bool) -> Int32 {
        (isInput ? fileHandleForReading : fileHandleForWriting).fileDescriptor
    }
}

extension FileHandle: ChildStream {
    /// Its own.
    package func descriptor(isInput: Bool) -> Int32 {
        fileDescriptor
    }
}

/// A program that a test runs, bounded in time.
///
/// Foundation's `Process` closes in the child the descriptors it saw a moment before. One that another thread opens in
/// between is inherited, and `waitUntilExit()` also waits until every heir of its own socket has ended: with a server
/// among the heirs, for ever. Here the child itself closes everything. Nor does it inherit the streams of the tests, for
/// whose end `swift test` waits.
package final class ChildProcess: Sendable {
    private enum Run {
        case waiting
        case running(pid_t)
        case ended(pid_t, status: Int32)
    }

    private struct State {
        var executable: URL?
        var arguments: [String] = []
        var environment: [String: String]?
        var folder: URL?
        var streams: [(any ChildStream)?] = [nil, nil, nil]
        var run = Run.waiting
    }

    private let state = Mutex(State())
    private let limit: Duration

    /// Makes a process that is not running yet.
    package init(limit: Duration = .seconds(300)) {
        self.limit = limit
    }

    deinit {
        killAll()
        waitUntilExit()
    }

    /// Why a program was not started.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    // MARK: What is run

    package var executableURL: URL? {
        get { state.withLock { $0.executable } }
        set { state.withLock { $0.executable = newValue } }
    }

    package var arguments: [String] {
        get { state.withLock { $0.arguments } }
        set { state.withLock { $0.arguments = newValue } }
    }

    /// Nil for ``defaultEnvironment``.
    package var environment: [String: String]? {
        get { state.withLock { $0.environment } }
        set { state.withLock { $0.environment = newValue } }
    }

    /// That of this process, without what `Tests/run.sh` sets for the tests themselves.
    package static var defaultEnvironment: [String: String] {
        let own: Set = ["LD_PRELOAD", "SWIFT_BACKTRACE", "_STDBUF_O"]
        return ProcessInfo.processInfo.environment.filter { !own.contains($0.key) }
    }

    /// Nil for that of this process.
    package var currentDirectoryURL: URL? {
        get { state.withLock { $0.folder } }
        set { state.withLock { $0.folder = newValue } }
    }

    /// Nil for the null device.
    package var standardInput: (any ChildStream)? {
        get { state.withLock { $0.streams[0] } }
        set { state.withLock { $0.streams[0] = newValue } }
    }

    /// Nil for the null device.
    package var standardOutput: (any ChildStream)? {
        get { state.withLock { $0.streams[1] } }
        set { state.withLock { $0.streams[1] = newValue } }
    }

    /// Nil for the null device.
    package var standardError: (any ChildStream)? {
        get { state.withLock { $0.streams[2] } }
        set { state.withLock { $0.streams[2] = newValue } }
    }

    // MARK: Running

    /// Starts the program; once.
    package func run() throws {
        try state.withLock { state in
            guard case .waiting = state.run, let executable = state.executable else {
                throw Failure(description: "expected an executable that was not run yet")
            }
            state.run = .running(try Self.spawn(executable.path, state))
            for case (let index, let pipe as Pipe) in state.streams.enumerated() {
                try? (index == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting).close()
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak self] in
            self?.killAll()
        }
    }

    /// Runs a program until it ends.
    package static func run(_ executable: URL, arguments: [String]) throws -> ChildProcess {
        let process = ChildProcess()
        process.executableURL = executable
        process.arguments = arguments
        try process.run()
        return process
    }

    private static func spawn(_ path: String, _ state: State) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (index, stream) in state.streams.enumerated() {
            let descriptor = Int32(index)
            if let stream {
                let own = stream.descriptor(isInput: index == 0)
                posix_spawn_file_actions_adddup2(&actions, own, descriptor)
            } else {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", index == 0 ? O_RDONLY : O_WRONLY, 0)
            }
        }
        if let folder = state.folder {
            posix_spawn_file_actions_addchdir_np(&actions, folder.path)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own, so that Control-C ends the tests and they end their programs.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let environment = state.environment ?? defaultEnvironment
        var words = ([path] + state.arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var id: pid_t = 0
        let failure = posix_spawn(&id, path, &actions, &attributes, &words, &variables)
        guard failure == 0 else {
            throw Failure(description: "\(path): \(String(cString: strerror(failure)))")
        }
        return id
    }

    // MARK: Its end

    /// The process's id; 0 before it runs.
    package var processIdentifier: Int32 {
        state.withLock { state in
            switch state.run {
            case .waiting: 0
            case .running(let id), .ended(let id, _): id
            }
        }
    }

    package var isRunning: Bool {
        state.withLock { state in
            guard case .running(let id) = state.run else {
                return false
            }
            return !Self.reap(id, WNOHANG, &state.run)
        }
    }

    /// Waits until it ends, at the latest when its time is over.
    package func waitUntilExit() {
        guard case .running(let id) = state.withLock({ $0.run }) else {
            return
        }
        // Leaves it to be reaped under the lock, so that no signal is sent to another process of the same id.
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { state in
            if case .running = state.run {
                _ = Self.reap(id, 0, &state.run)
            }
        }
    }

    /// The status with which it ended, or the number of the signal that ended it; -1 before.
    package var terminationStatus: Int32 {
        state.withLock { state in
            guard case .ended(_, let status) = state.run else {
                return -1
            }
            let signal = status & 0x7f
            return signal == 0 ? (status >> 8) & 0xff : signal
        }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        state.withLock { state in
            if case .running(let id) = state.run {
                kill(id, signal)
            }
        }
    }

    /// Ends it and what it started, which could keep its pipes open.
    private func killAll() {
        state.withLock { state in
            if case .running(let id) = state.run {
                kill(-id, SIGKILL)
            }
        }
    }

    private static func reap(_ id: pid_t, _ options: Int32, _ run: inout Run) -> Bool {
        var status: Int32 = 0
        var reaped: pid_t
        repeat {
            reaped = waitpid(id, &status, options)
        } while reaped < 0 && errno == EINTR
        guard reaped != 0 else {
            return false
        }
        run = .ended(id, status: status)
        return true
    }
}
