import AttributionReports

/// A set of formats of which a client may choose one with `Accept`.
protocol NegotiatedFormat: CaseIterable, RawRepresentable, Sendable where RawValue == String {
    /// The media type.
    var mediaType: String { get }
    /// The format for clients that name none of them.
    static var fallback: Self { get }
}

extension NegotiatedFormat {
    /// The format whose media type a client prefers by name; otherwise ``fallback``.
    ///
    /// - Parameter fields: The values of `Accept`, RFC 9110, section 12.5.1.
    init(accept fields: [String]) {
        var best: (format: Self, quality: Double)?
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
        self = best?.format ?? Self.fallback
    }
}

extension ReportFormat: NegotiatedFormat {
    /// JSON, also for browsers.
    static let fallback = ReportFormat.json

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
}

extension StandardReportFormat: NegotiatedFormat {
    static let fallback = StandardReportFormat.json

    /// The media type of the format.
    var mediaType: String {
        switch self {
        case .table: ReportFormat.table.mediaType
        case .csv: ReportFormat.csv.mediaType
        case .json: ReportFormat.json.mediaType
        case .ndjson: ReportFormat.ndjson.mediaType
        case .markdown: ReportFormat.markdown.mediaType
        case .html: "text/html; charset=utf-8"
        }
    }
}
