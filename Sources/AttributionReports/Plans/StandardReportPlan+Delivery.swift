import Attribution
import AttributionStore

extension StandardReportPlan {
    static let delivery = StandardReportPlan(
        ["outcomes", "quarantine", "repeats", "recipients"], hasDeliveries: true, countsPostbacks: false
    ) { figures in
        guard let (current, previous) = figures.deliveries else {
            return []
        }
        return [
            outcomeSection(current, previous), quarantineSection(current, previous), repeatSection(current, previous),
            recipientSection(current, previous),
        ]
    }

    /// A row for each outcome of each kind of traffic.
    static func outcomeSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        let verified = Traffic.allCases.flatMap { traffic in
            Recording.Status.allCases.filter { $0 != .quarantined }.map { (traffic as Traffic?, $0) }
        }
        let table = SumTable<DeliverySums>(
            keys: [
                .names("provenance", "Provenance", .ours, "Whose keys verified the postback; none if quarantined."),
                .names("outcome", "Outcome", .ours, "What became of the delivery."),
            ],
            figures: [
                received,
                figure(
                    "network-copies", "Network's copies",
                    "Those received at the address that networks register."
                ) { $0.byRecipient[.network] },
                figure(
                    "developer-copies", "Developers' copies", "Those received at the address of developers' copies."
                ) { $0.byRecipient[.developer] },
            ])
        return table.section(
            "outcomes", "Deliveries", "Every delivery with its outcome; each is counted once.",
            (verified + [(nil, .quarantined)]).map { traffic, status in
                row([traffic?.rawValue ?? "", status.rawValue], current, previous) {
                    $0.status == status && $0.traffic == traffic
                }
            }, ranks: 0,
            notes: ["Test, development and foreign postbacks are verified, too, but never enter the real numbers."])
    }

    /// A row for each reason of quarantine.
    static func quarantineSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        let table = SumTable<DeliverySums>(
            keys: [.names("reason", "Reason", .ours, "Why the delivery is not a verified postback.")],
            figures: [
                received,
                figure("kept", "Kept", "Those whose bytes are in the quarantine.") { $0.kept },
                figure("not-kept", "Not kept", "Those of which a limit allowed to keep the count alone.") {
                    $0.count - $0.kept
                },
            ])
        return table.section(
            "quarantine", "Quarantine", "Deliveries that are not verified postbacks, by reason.",
            PostbackRejection.Code.kept.map { reason in
                row([reason.rawValue], current, previous) { $0.status == .quarantined && $0.reason == reason }
            }, ranks: 0, chart: .bars(category: "reason", value: "deliveries"))
    }

    private static func repeatSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        let table = SumTable<DeliverySums>(
            keys: [.names("delay", "Delay", .ours, "How long after the first copy the repeat arrived.")],
            figures: [
                figure(
                    "repeats", "Repeats", "Deliveries of a postback that was recorded before.", isCompared: true
                ) { $0.count }
            ])
        return table.section(
            "repeats", "Repeats", "Repeats of recorded postbacks, by their delay after the first copy.",
            RepeatDelay.allCases.map { delay in
                SumRow(
                    values: [delay.name], current: DeliverySums(count: current.repeats[delay, default: 0]),
                    previous: previous.map { DeliverySums(count: $0.repeats[delay, default: 0]) })
            }, ranks: 0,
            notes: ["Devices repeat for up to nine days what was not answered with 200; later repeats are not theirs."])
    }

    private static func recipientSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        let table = SumTable<DeliverySums>(
            keys: [.names("recipient", "Recipient", .ours, "Whose copy it is: the network's or the developer's.")],
            figures: [received]
                + Recording.Status.allCases.map { status in
                    figure(status.rawValue, status.words.title, status.words.definition) { $0.byStatus[status] }
                })
        return table.section(
            "recipients", "Networks' and developers' copies",
            "Deliveries by the address at which they arrived.",
            Delivery.Recipient.allCases.map { recipient in
                row([recipient.rawValue], current, previous) { $0.recipient == recipient }
            }, ranks: 0,
            notes: ["Of \(current.otherRecipients) recorded postbacks the other recipient's copy arrived, too."])
    }

    // MARK: Rows and figures

    private typealias Figure = (column: ReportColumn, cell: (DeliverySums) -> ReportCell)

    private static var received: Figure {
        figure("deliveries", "Deliveries", "Deliveries that were received, each counted once.", isCompared: true) {
            $0.count
        }
    }

    private static func figure(
        _ name: String,
        _ title: String,
        _ definition: String,
        isCompared: Bool = false,
        _ count: @escaping (DeliverySums) -> Int64
    ) -> Figure {
        (ReportColumn(name, title, .count, .ours, definition, isCompared: isCompared), { .count(count($0)) })
    }

    private static func row(
        _ keys: [String],
        _ current: DeliveryCounts,
        _ previous: DeliveryCounts?,
        _ isCounted: (DeliveryCounts.Kind) -> Bool
    ) -> SumRow<DeliverySums> {
        SumRow(
            values: keys, current: DeliverySums(current, isCounted),
            previous: previous.map { DeliverySums($0, isCounted) })
    }
}

struct DeliverySums: Summable {
    var count: Int64 = 0
    /// Those whose bytes are in the store.
    var kept: Int64 = 0
    var byRecipient = CountsByKind<Delivery.Recipient>()
    var byStatus = CountsByKind<Recording.Status>()

    init() {}

    init(count: Int64) {
        self.count = count
    }

    init(_ deliveries: DeliveryCounts, _ isCounted: (DeliveryCounts.Kind) -> Bool) {
        for (kind, tally) in deliveries.tallies where isCounted(kind) {
            count += tally.count
            kept += tally.kept
            byRecipient[kind.recipient] += tally.count
            byStatus[kind.status] += tally.count
        }
    }

    static func += (lhs: inout Self, rhs: Self) {
        lhs.count += rhs.count
        lhs.kept += rhs.kept
        lhs.byRecipient += rhs.byRecipient
        lhs.byStatus += rhs.byStatus
    }
}

extension Recording.Status {
    /// The heading of a column, and what the outcome means.
    fileprivate var words: (title: String, definition: String) {
        switch self {
        case .recorded: ("Recorded", "First verified copies, which count.")
        case .duplicate: ("Duplicates", "Copies of a recorded postback with the same fields.")
        case .conflict: ("Conflicts", "Copies of a recorded postback that differ in a field no one signs.")
        case .quarantined: ("Quarantined", "Deliveries that are not verified postbacks.")
        }
    }
}
