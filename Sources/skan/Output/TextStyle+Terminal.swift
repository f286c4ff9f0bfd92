import AttributionReports
import Foundation

extension TextStyle {
    /// What standard output has room for, and what its reader can show.
    static var terminal: TextStyle {
        let environment = ProcessInfo.processInfo.environment
        return TextStyle(columns: Terminal.columns, isInteractive: Terminal.isInteractive, environment: environment)
    }
}
