import AttributionReports

extension ReportFormat {
    /// The media type of the format, RFC 4180, 7763, 8259.
    var mediaType: String {
        switch self {
        case .table: "text/plain; charset=utf-8"
        case .csv: "text/csv; charset=utf-8"
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .markdown: "text/markdown; charset=utf-8"
        }
    }

    /// The format whose media type a client prefers by name; JSON when it names none, as browsers do.
    ///
    /// - Parameter fields: The values of `Accept`, RFC 9110, section 12.5.1.
    init(accept fields: [String]) {
        var best: (format: ReportFormat, quality: Double)?
        for range in fields.joined(separator: ",").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            guard case let quality = weight ?? 1, quality > best?.quality ?? 0,
                let format = Self.allCases.first(where: {
                    parts.first == $0.mediaType.prefix { $0 != ";" }.lowercased()
                })
            else {
                continue
            }
            best = (format, quality)
        }
        self = best?.format ?? .json
    }
}
