/// A report that can be written in several formats.
package protocol RenderedReport {
    /// Its formats.
    associatedtype Format

    /// Writes the report in pieces, so that a large one need not fit in memory.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - style: The width and characters of tables.
    ///   - output: Called with each piece; the last ends with a newline.
    func write(as format: Format, style: TextStyle, to output: (String) -> Void)
}

extension RenderedReport {
    /// The report as text, ending with a newline.
    package func rendered(as format: Format, style: TextStyle = .document) -> String {
        var text = ""
        write(as: format, style: style) { text += $0 }
        return text
    }
}
