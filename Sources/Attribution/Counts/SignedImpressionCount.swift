import StrictJSON

/// How many ads a process signed for one campaign on a day so far: one line of the file of `skan serve --counts`.
///
/// An ad counts once, in however many forms and versions it was signed. Whether it was shown is not known here.
/// ``writer`` and ``sequence`` identify a sum, of which the greatest counts, so that a file that is imported twice counts
/// once; a process takes a new ``writer`` each time it starts, and numbers its sums from 1.
package struct SignedImpressionCount: Hashable, Sendable {
    /// The campaign that the ads were signed for.
    package let campaign: SignedCampaign
    /// The id of the process that counted them, chosen at random when it started.
    package let writer: Nonce
    /// The number of the sum among those of its writer, from 1.
    package let sequence: Int64
    /// When they were signed, in Unix seconds; within one day of UTC.
    package let seconds: Range<Int64>
    /// How many ads were signed.
    package let signed: Int64

    /// Makes a line; the reader refuses one whose time spans two days of UTC, is empty, or has no ads.
    package init(campaign: SignedCampaign, writer: Nonce, sequence: Int64, seconds: Range<Int64>, signed: Int64) {
        self.campaign = campaign
        self.writer = writer
        self.sequence = sequence
        self.seconds = seconds
        self.signed = signed
    }

    /// The day of UTC on which they were signed.
    package var day: CalendarDay { Self.day(of: seconds.lowerBound) }

    private static func day(of second: Int64) -> CalendarDay {
        CalendarDay(number: second.dividedRoundingDown(by: 86_400))
    }
}

/// What signed ads are counted by: the network, the advertised app, and the campaign under both its numbers.
///
/// An ad that is signed for 3.0 and for 4.0 has a campaign id and a source identifier, and is still one ad.
package struct SignedCampaign: Hashable, Sendable {
    /// The network that signed, as registered.
    package let network: String
    package let app: AppStoreItemID
    /// The campaign id; nil if no version with one was signed.
    package let campaignID: CampaignID?
    /// The source identifier; nil if no version with one was signed.
    package let sourceIdentifier: ImpressionSourceIdentifier?

    package init(
        network: AdNetworkID, app: AppStoreItemID, campaignID: CampaignID?,
        sourceIdentifier: ImpressionSourceIdentifier?
    ) {
        self.network = network.registered
        self.app = app
        self.campaignID = campaignID
        self.sourceIdentifier = sourceIdentifier
    }
}

extension SignedImpressionCount {
    /// The version of the format.
    private static let version: Int64 = 1
    /// The longest line that is read.
    private static let limit = 4_096

    /// The line, without its newline.
    ///
    /// A writer appends a whole line with its newline at once; a last line without one is taken as unfinished.
    package var line: String {
        var members: [(String, JSONText)] = [
            ("version", .integer(Self.version)),
            ("writer", .string(writer.text)),
            ("sequence", .integer(sequence)),
            ("from", .string(Moment(milliseconds: seconds.lowerBound * 1000).text)),
            ("to", .string(Moment(milliseconds: seconds.upperBound * 1000).text)),
            ("network", .string(campaign.network)),
            ("app", .integer(campaign.app.value)),
        ]
        if let id = campaign.campaignID {
            members.append(("campaign-id", .integer(id.value)))
        }
        if let identifier = campaign.sourceIdentifier {
            members.append(("source-identifier", .integer(identifier.value)))
        }
        members.append(("signed", .integer(signed)))
        return JSONText.object(members).line
    }

    /// Reads a line, without its newline.
    ///
    /// - Throws: ``StrictJSON/JSONError`` for anything but one JSON object, and ``StrictJSON/FieldProblem`` for a member
    ///   that is unknown, missing or out of range.
    package init(reading line: [UInt8]) throws {
        let fields = try RequestFields(reading: line, limit: Self.limit)
        try fields.allow(only: [
            "version", "writer", "sequence", "from", "to", "network", "app", "campaign-id", "source-identifier",
            "signed",
        ])
        guard try fields.integer("version") == Self.version else {
            throw fields.problem("version", found: "another version or none", expected: String(Self.version))
        }
        self.init(
            campaign: try Self.campaign(fields),
            writer: try Nonce.checked(try fields.string("writer") ?? "", field: "writer"),
            sequence: try Self.positive("sequence", fields),
            seconds: try Self.seconds(fields),
            signed: try Self.positive("signed", fields, limit: Self.mostSigned))
    }

    private static func campaign(_ fields: RequestFields) throws(FieldProblem) -> SignedCampaign {
        let campaignID: CampaignID? = try fields.campaignNumber("campaign-id")
        let identifier: ImpressionSourceIdentifier? = try fields.campaignNumber("source-identifier")
        guard campaignID != nil || identifier != nil else {
            throw fields.problem("campaign-id", found: "nothing", expected: "it or source-identifier, or both")
        }
        return SignedCampaign(
            network: try AdNetworkID.checked(try fields.string("network") ?? "", field: "network"),
            app: try AppStoreItemID.advertised(try fields.integer("app") ?? 0, field: "app"),
            campaignID: campaignID, sourceIdentifier: identifier)
    }

    /// More than any process signs for a campaign in a day, and so little that sums of lines do not overflow.
    package static let mostSigned: Int64 = 10_000_000_000

    private static func positive(
        _ name: String, _ fields: RequestFields, limit: Int64 = .max
    ) throws(FieldProblem) -> Int64 {
        guard let number = try fields.integer(name), (1...limit).contains(number) else {
            throw fields.problem(
                name, found: try fields.integer(name).map { String($0) } ?? "nothing",
                expected: "a whole number greater than 0" + (limit == .max ? "" : " and at most \(limit)"))
        }
        return number
    }

    private static func seconds(_ fields: RequestFields) throws(FieldProblem) -> Range<Int64> {
        let from = try Moment(try fields.string("from") ?? "", field: "from").milliseconds / 1000
        let to = try Moment(try fields.string("to") ?? "", field: "to").milliseconds / 1000
        guard from < to, day(of: from) == day(of: to - 1) else {
            throw fields.problem(
                "to", found: Moment(milliseconds: to * 1000).text,
                expected: "a time after from, at most the end of its day (UTC)")
        }
        return from..<to
    }
}

extension SignedCampaign {
    /// The campaign of one ad.
    package init?(_ impressions: ArraySlice<Impression>) {
        var network: AdNetworkID?
        var app: AppStoreItemID?
        var campaignID: CampaignID?
        var sourceIdentifier: ImpressionSourceIdentifier?
        for impression in impressions {
            network = impression.adNetworkID
            switch impression {
            case .skAdNetwork(let impression):
                app = impression.itunesItemID
                switch impression.campaign {
                case .campaignID(let id): campaignID = id
                case .sourceIdentifier(let identifier): sourceIdentifier = identifier
                }
            case .adAttributionKit(let impression):
                app = impression.advertisedItemIdentifier
                sourceIdentifier = impression.sourceIdentifier
            }
        }
        guard let network, let app else {
            return nil
        }
        self.init(network: network, app: app, campaignID: campaignID, sourceIdentifier: sourceIdentifier)
    }
}
