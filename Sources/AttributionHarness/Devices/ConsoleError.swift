/// A console that answered something else than a report.
package struct ConsoleError: Error, CustomStringConvertible {
    let url: String
    let status: Int

    /// What was asked and answered.
    package var description: String {
        "\(url) answered \(status), expected 200"
    }
}
