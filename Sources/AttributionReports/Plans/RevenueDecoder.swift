import Attribution

/// Decodes the values in the rows of a breakdown, whose first value is a segment between two days on which the
/// meaning of values may change.
struct RevenueDecoder {
    /// The dimensions of the rows, after the segment.
    static let dimensions: [ReportDimension] =
        StandardReportPlan.campaignDimensions + [.version, .sequenceIndex, .conversionValue]

    /// A postback's place in the sections.
    struct Row {
        /// The network, the app, the campaign id and the source identifier.
        let campaign: [String]
        /// The conversion window, from 0.
        let window: Int
        /// What its value means.
        let decoded: DecodedConversion
        /// When it arrived, as an index of a segment.
        let segment: Int
        /// Its timing.
        let timing: PostbackTiming

        /// The advertised app.
        var app: String {
            campaign[1]
        }
    }

    private let schemas: ConversionSchemas
    /// Where segments begin, in Unix milliseconds; the first one has no beginning.
    let cuts: [Int64]

    init(_ schemas: ConversionSchemas) {
        self.schemas = schemas
        cuts = Self.cuts(schemas)
    }

    /// The moments at which the schemas that a postback may be of can change, in Unix milliseconds.
    static func cuts(_ schemas: ConversionSchemas) -> [Int64] {
        let bands = schemas.apps.flatMap { schemas.changes(of: $0) }.flatMap { change in
            PostbackTiming.allCases.map { change.band($0) }
        }
        return Set(bands.flatMap { [$0.lowerBound, $0.upperBound] }).sorted()
    }

    /// A moment of a segment; the schemas that a postback may be of are the same in all of it.
    private func moment(of segment: Int) -> Range<Int64> {
        guard let first = cuts.first else {
            return 0..<1
        }
        let start = segment == 0 ? first - 1 : cuts[min(segment, cuts.count) - 1]
        return start..<(start + 1)
    }

    /// Whether a segment is within a band.
    func isWithin(_ band: Range<Int64>, segment: Int) -> Bool {
        band.contains(moment(of: segment).lowerBound)
    }

    /// Decodes the values of a row.
    func row(_ values: [String]) -> Row? {
        guard let segment = Int(values[0]), let app = Int64(values[2]), let conversion = Conversion(values[7]) else {
            return nil
        }
        let sequenceIndex = Int64(values[6])
        let timing = PostbackTiming(
            version: SKAdNetworkVersion(rawValue: values[5]), sequenceIndex: sequenceIndex)
        let window = Int(sequenceIndex ?? 0)
        let candidates = schemas.candidates(
            for: AppStoreItemID(app), arrival: moment(of: segment), timing: timing)
        return Row(
            campaign: Array(values[1...4]), window: window,
            decoded: DecodedConversion(
                conversion, window: window, candidates.schemas, mayHaveNone: candidates.mayHaveNone),
            segment: segment, timing: timing)
    }
}

extension Counts {
    /// Postbacks of winners, which alone have conversion values.
    var withValues: Int64 {
        self[.postbacks] - self[.losses]
    }

    /// Those of them that report re-engagements.
    var reengagementPostbacks: Int64 {
        self[.reengagements] + self[.laterReengagements]
    }
}
