/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Time, level, message, then `key=value`: for people.
    case text
    /// One JSON object of strings per line: for programs.
    case json
}
