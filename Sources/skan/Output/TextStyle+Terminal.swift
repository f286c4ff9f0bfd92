import AttributionReports
import Foundation

extension TextStyle {
    /// The style that fits standard output.
    static var terminal: TextStyle {
        let environment = ProcessInfo.processInfo.environment
        return TextStyle(columns: Terminal.columns, isInteractive: Terminal.isInteractive, environment: environment)
    }
}
