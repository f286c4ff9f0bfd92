/// One line, or one histogram, of the exposition.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Appends the samples as they are now.
    ///
    /// - Parameters:
    ///   - name: The family's name.
    ///   - labels: The labels as `name="value"`, comma-separated; may be empty.
    ///   - output: Takes the lines.
    func write(name: String, labels: String, to output: inout String)
}

extension String {
    /// Appends one sample.
    mutating func appendSample(_ name: String, _ labels: String, _ value: String) {
        self += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}
