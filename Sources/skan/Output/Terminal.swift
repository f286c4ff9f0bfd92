import AttributionConsole
import AttributionReports
import Foundation
import Platform
import Synchronization

/// Writes data to standard output and messages to standard error.
enum Terminal {
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

    /// Lets a closed pipe end the run from now on, with a status if not all is well: the reader has seen enough.
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
        switch writeAll(buffer, to: STDOUT_FILENO) {
        case 0: break
        case EPIPE:
            if let status = closedPipeStatus.withLock({ $0 }) {
                _exit(status)
            }
        case let problem:
            say("skan: error: cannot write to standard output: \(String(cString: strerror(problem)))")
            _exit(ExitStatus.undecided.rawValue)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes bytes to a descriptor; returns the error number, or 0.
    ///
    /// Not with `FileHandle`, which traps when the other end is closed or the disk is full.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var pending = bytes[...]
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return count == 0 ? EIO : errno
            }
        }
        return 0
    }

    /// Writes a line to standard error, without secrets; one that cannot be written is lost, and the command goes on.
    static func say(_ text: String) {
        _ = writeAll(Array((text.withoutSecrets.shown + "\n").utf8), to: STDERR_FILENO)
    }

    /// Updates the progress line.
    static func progress(_ text: String) {
        // Shown on terminals only.
        if isatty(STDERR_FILENO) == 1 {
            _ = writeAll(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
        }
    }

    /// Writes a line to standard output, wrapped where lines have to fit.
    static func writeLine(_ text: String) {
        let text = isInteractive ? text.shown : text
        write((TextStyle.fitting?.wrapped(text) ?? text) + "\n")
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
