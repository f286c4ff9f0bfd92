import AttributionConsole
import AttributionReports
import Foundation
import Synchronization

/// Writes data to standard output and messages to standard error.
enum Terminal {
    /// Whether standard error is a terminal on which progress can be shown.
    static var showsProgress: Bool {
        isatty(STDERR_FILENO) == 1
    }

    /// Bytes not yet written: one line of NDJSON is not worth a system call.
    private static let buffer = Mutex<[UInt8]>([])

    /// The status with which a closed pipe ends the run; nil if the run goes on without output.
    private static let closedPipeStatus = Mutex<Int32?>(nil)

    /// Whether standard output is a terminal, which must not receive control characters from untrusted bytes.
    static var isInteractive: Bool {
        isatty(STDOUT_FILENO) == 1
    }

    /// The width of standard output's terminal; nil when it is not a terminal or its width is unknown.
    static var columns: Int? {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// The width at which the parser breaks help.
    static var helpColumns: Int {
        ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? columns ?? 80
    }

    /// Writes data to standard output.
    ///
    /// If nobody reads it any more, the rest is dropped and the run goes on, because its status may be a verdict;
    /// ``exitAtClosedPipe(with:)`` changes that.
    static func write(_ text: String) {
        write(bytes: text.utf8)
    }

    /// Lets a closed pipe end the run from now on: it only prints, and the reader has seen enough.
    ///
    /// - Parameter status: The status, if not all is well.
    static func exitAtClosedPipe(with status: ExitStatus? = nil) {
        closedPipeStatus.withLock { $0 = status?.rawValue ?? 0 }
    }

    /// Writes bytes to standard output.
    static func write(bytes: some Sequence<UInt8>) {
        buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            if buffer.count >= 1 << 16 {
                flush(&buffer)
            }
        }
    }

    /// Writes what is still buffered.
    static func finish() {
        buffer.withLock { flush(&$0) }
    }

    private static func flush(_ buffer: inout [UInt8]) {
        var pending = buffer[...]
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else if errno == EPIPE {
                if let status = closedPipeStatus.withLock({ $0 }) {
                    _exit(status)
                }
                break
            } else if errno != EINTR {
                say("skan: error: cannot write to standard output: \(String(cString: strerror(errno)))")
                _exit(ExitStatus.undecided.rawValue)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a line to standard error, without secrets; one that cannot be written is lost, and the command goes on.
    static func say(_ text: String) {
        writeToStandardError(text.withoutSecrets + "\n")
    }

    /// Updates the progress line.
    static func progress(_ text: String) {
        guard showsProgress else {
            return
        }
        writeToStandardError("\r\u{1B}[K\(text)")
    }

    /// Not with `FileHandle`, which traps when the other end is closed or the disk is full.
    private static func writeToStandardError(_ text: String) {
        var pending = Array(text.utf8)[...]
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}

extension TextStyle {
    /// The style that fits standard output.
    static var terminal: TextStyle {
        let environment = ProcessInfo.processInfo.environment
        return TextStyle(columns: Terminal.columns, isInteractive: Terminal.isInteractive, environment: environment)
    }

    /// The same where lines have to fit; nil for a file or a pipe whose reader may look for whole lines, unless `COLUMNS`
    /// says how wide they may be.
    static var fitting: TextStyle? {
        Terminal.isInteractive || ProcessInfo.processInfo.environment["COLUMNS"] != nil ? terminal : nil
    }
}

extension Terminal {
    /// Writes a line to standard output, wrapped where lines have to fit.
    static func writeLine(_ text: String) {
        write((TextStyle.fitting?.wrapped(text) ?? text) + "\n")
    }
}

extension String {
    /// The text without tokens, addresses of databases that hold a password, and the user and password of other URLs.
    ///
    /// No command takes these where they would be quoted; this is for one that was typed where something else is
    /// expected, such as a word too many, and is quoted as typed.
    var withoutSecrets: String {
        withoutTokens
            // A shortened text may end before the @.
            .replacing(/postgres(?:ql)?:\/\/\S*(?::\S*[@…]|password=)\S*/, with: "postgresql://…")
            // From the slashes on: to look for a scheme before them would take the square of a text's length.
            .replacing(/:\/\/[^\s@]+@/, with: "://…@")
    }
}
