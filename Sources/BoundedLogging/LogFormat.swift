/// How lines of the log are written.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Time, level, message, then `key=value`: for people.
    case text
    /// One JSON object a line, whose values are strings: for programs.
    case json
}
