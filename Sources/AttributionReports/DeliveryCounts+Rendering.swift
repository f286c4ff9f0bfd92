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
            ("development", verifiedCounts(.development)),
            ("test", verifiedCounts(.test)),
            ("not-kept", .integer(notKept)),
        ]
    }

    private func verifiedCounts(_ provenance: Provenance) -> JSONText {
        .object(
            Recording.Status.verified.map { ($0.rawValue, .integer(count($0, provenance))) })
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
                + "quarantined \(quarantined) (\(reasons))"
        ]
        // Test traffic is named even when there is none, so that nobody wonders whether it is in the numbers above.
        for (provenance, name) in [(Provenance.development, "Development"), (.test, "Test")] {
            let counts = Recording.Status.verified.map { ($0.rawValue, count($0, provenance)) }
            if provenance == .test || counts.contains(where: { $0.1 > 0 }) {
                lines.append("\(name) deliveries: " + counts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
            }
        }
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

extension Recording.Status {
    /// What becomes of deliveries whose signature verifies.
    fileprivate static let verified = allCases.filter { $0 != .quarantined }
}
