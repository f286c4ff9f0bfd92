package import Logging

extension Logger {
    /// Says nothing.
    package static var silent: Logger {
        Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    }
}
