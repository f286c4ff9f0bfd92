import Foundation
import Synchronization

/// Data to standard output, words to standard error.
enum Terminal {
    /// Whether standard error is a terminal on which progress can be shown.
    static var showsProgress: Bool {
        isatty(STDERR_FILENO) == 1
    }

    /// What was written and not yet put out: a line of NDJSON is not worth a system call.
    private static let buffer = Mutex<[UInt8]>([])

    /// Whether standard output is a terminal, which bytes of strangers must not steer.
    static var isInteractive: Bool {
        isatty(STDOUT_FILENO) == 1
    }

    /// How many columns the terminal of standard output has; nil when it is none, or does not say.
    static var columns: Int? {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    /// Writes data to standard output; a reader that went away ends the run as a success.
    static func write(_ text: String) {
        write(bytes: text.utf8)
    }

    /// Writes bytes to standard output.
    static func write(bytes: some Sequence<UInt8>) {
        buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            if buffer.count >= 1 << 16 {
                putOut(&buffer)
            }
        }
    }

    /// Puts out what is still buffered.
    static func finish() {
        buffer.withLock { putOut(&$0) }
    }

    private static func putOut(_ buffer: inout [UInt8]) {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                _exit(0)
            } else if errno != EINTR {
                say("skan: error: cannot write to standard output: \(String(cString: strerror(errno)))")
                _exit(ExitStatus.undecided.rawValue)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a line of words to standard error.
    static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Rewrites the line of progress.
    static func progress(_ text: String) {
        guard showsProgress else {
            return
        }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }
}
