import Attribution

extension StandardReportPlan {
    /// What became of every delivery.
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
        let table = DeliverySection(
            keys: [
                .names("provenance", "Provenance", .ours, "Whose keys verified the postback; none if quarantined."),
                .names("outcome", "Outcome", .ours, "What became of the delivery."),
            ],
            figures: [
                (received.compared, { Int64($0.count) }),
                (
                    ReportSectionColumn(
                        "network-copies", "Network's copies", .count, .ours,
                        "Those received at the address that networks register."), { $0.network }
                ),
                (
                    ReportSectionColumn(
                        "developer-copies", "Developers' copies", .count, .ours,
                        "Those received at the address of developers' copies."), { $0.developer }
                ),
            ])
        return table.section(
            "outcomes", "Deliveries", "Every delivery with its outcome; each is counted once.",
            (verified + [(nil, .quarantined)]).map { traffic, status in
                let isCounted = { (kind: DeliveryCounts.Kind) in kind.status == status && kind.traffic == traffic }
                return DeliverySection.Row(
                    [traffic?.rawValue ?? "", status.rawValue], current.sums(isCounted),
                    previous.map { $0.sums(isCounted) })
            },
            notes: ["Test, development and foreign postbacks are verified, too, but never enter the real numbers."])
    }

    /// A row for each reason of quarantine.
    static func quarantineSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        let table = DeliverySection(
            keys: [.names("reason", "Reason", .ours, "Why the delivery is not a verified postback.")],
            figures: [
                (received.compared, { $0.count }),
                (
                    ReportSectionColumn("kept", "Kept", .count, .ours, "Those whose bytes are in the quarantine."),
                    { $0.kept }
                ),
                (
                    ReportSectionColumn(
                        "not-kept", "Not kept", .count, .ours, "Those of which a limit allowed to keep the count alone."
                    ),
                    { $0.count - $0.kept }
                ),
            ])
        return table.section(
            "quarantine", "Quarantine", "Deliveries that are not verified postbacks, by reason.",
            PostbackRejection.Code.kept.map { reason in
                let isCounted = { (kind: DeliveryCounts.Kind) in kind.status == .quarantined && kind.reason == reason }
                return DeliverySection.Row(
                    [reason.rawValue], current.sums(isCounted), previous.map { $0.sums(isCounted) })
            }, chart: .bars(category: "reason", value: "deliveries"))
    }

    private static func repeatSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        let table = DeliverySection(
            keys: [.names("delay", "Delay", .ours, "How long after the first copy the repeat arrived.")],
            figures: [
                (
                    ReportSectionColumn(
                        "repeats", "Repeats", .count, .ours, "Deliveries of a postback that was recorded before.",
                        isCompared: true), { $0.count }
                )
            ])
        return table.section(
            "repeats", "Repeats", "Repeats of recorded postbacks, by their delay after the first copy.",
            RepeatDelay.allCases.map { delay in
                DeliverySection.Row(
                    [delay.name], .init(count: current.repeats[delay, default: 0]),
                    previous.map { .init(count: $0.repeats[delay, default: 0]) })
            },
            notes: ["Devices repeat for up to nine days what was not answered with 200; later repeats are not theirs."])
    }

    private static func recipientSection(_ current: DeliveryCounts, _ previous: DeliveryCounts?) -> ReportSection {
        func count(_ status: Recording.Status) -> (DeliverySection.Sums) -> Int64 {
            { $0.byStatus[status, default: 0] }
        }
        let table = DeliverySection(
            keys: [.names("recipient", "Recipient", .ours, "Whose copy it is: the network's or the developer's.")],
            figures: [(received.compared, { $0.count })]
                + Recording.Status.allCases.map { status in
                    (
                        ReportSectionColumn(
                            status.rawValue, status.title, .count, .ours, status.definition),
                        count(status)
                    )
                })
        return table.section(
            "recipients", "Networks' and developers' copies",
            "Deliveries by the address at which they arrived.",
            Delivery.Recipient.allCases.map { recipient in
                let isCounted = { (kind: DeliveryCounts.Kind) in kind.recipient == recipient }
                return DeliverySection.Row(
                    [recipient.rawValue], current.sums(isCounted), previous.map { $0.sums(isCounted) })
            },
            notes: ["Of \(current.otherRecipients) recorded postbacks the other recipient's copy arrived, too."])
    }

    private static let received = ReportSectionColumn(
        "deliveries", "Deliveries", .count, .ours, "Deliveries that were received, each counted once.")
}

extension Recording.Status {
    /// The heading of a column.
    fileprivate var title: String {
        switch self {
        case .recorded: "Recorded"
        case .duplicate: "Duplicates"
        case .conflict: "Conflicts"
        case .quarantined: "Quarantined"
        }
    }

    /// What the outcome means.
    fileprivate var definition: String {
        switch self {
        case .recorded: "First verified copies, which count."
        case .duplicate: "Copies of a recorded postback with the same fields."
        case .conflict: "Copies of a recorded postback that differ in a field no one signs."
        case .quarantined: "Deliveries that are not verified postbacks."
        }
    }
}
