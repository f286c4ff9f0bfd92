import AttributionReports
import Foundation

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
