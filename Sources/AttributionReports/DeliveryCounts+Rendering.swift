public import Attribution

extension DeliveryCounts {
    /// The counts as the members of one JSON object; `received` is the sum of all the others but `not-kept`.
    var members: [(String, JSONText)] {
        [
            ("received", .integer(received)),
            ("recorded", .integer(count(.recorded, .apple))),
            ("duplicate", .integer(count(.duplicate, .apple))),
            ("conflict", .integer(count(.conflict, .apple))),
            (
                "quarantined",
                .object(
                    [("total", .integer(quarantined))]
                        + PostbackRejection.Code.kept.map { ($0.rawValue, .integer(quarantined($0))) })
            ),
            (
                "test",
                .object([
                    "recorded": .integer(count(.recorded, .test)),
                    "duplicate": .integer(count(.duplicate, .test)),
                    "conflict": .integer(count(.conflict, .test)),
                ])
            ),
            ("not-kept", .integer(notKept)),
        ]
    }

    /// The counts as JSON.
    public var json: JSONText {
        .object(members)
    }

    /// The counts in two or three lines for a person.
    var lines: [String] {
        let reasons = PostbackRejection.Code.kept
            .map { "\($0.rawValue) \(quarantined($0))" }
            .joined(separator: ", ")
        var lines = [
            "Deliveries: received \(received), recorded \(count(.recorded, .apple)), "
                + "duplicate \(count(.duplicate, .apple)), conflict \(count(.conflict, .apple)), "
                + "quarantined \(quarantined) (\(reasons))",
            "Test deliveries: recorded \(count(.recorded, .test)), duplicate \(count(.duplicate, .test)), "
                + "conflict \(count(.conflict, .test))",
        ]
        if notKept > 0 {
            lines.append("Of these \(notKept) were counted without keeping their bytes: the hour's bound was reached.")
        }
        return lines
    }
}

extension PostbackRejection.Code {
    /// The reasons under which something is quarantined; what is not JSON is refused instead.
    static let kept = allCases.filter { $0 != .notJSON }
}
