extension TextStyle {
    /// Chooses width and characters from the environment.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal; nil if unknown.
    ///   - isInteractive: Whether the output is a terminal.
    ///   - environment: `COLUMNS` overrides the width; the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty
    ///     decides whether characters are UTF-8.
    package init(columns: Int?, isInteractive: Bool, environment: [String: String]) {
        let named = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        let width = named ?? (isInteractive ? columns ?? 80 : TextStyle.document.width)
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let characters = locale.lowercased().filter { $0 != "-" }
        self.init(width: width, isASCII: !characters.contains("utf8"))
    }
}
