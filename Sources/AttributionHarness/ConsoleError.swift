/// A console that answered something else than a report.
public struct ConsoleError: Error, CustomStringConvertible {
    let url: String
    let status: Int

    /// What was asked and answered.
    public var description: String {
        "\(url) answered \(status), expected 200"
    }
}
