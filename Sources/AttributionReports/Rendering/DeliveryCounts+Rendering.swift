package import Attribution
package import StrictJSON

extension DeliveryCounts {
    /// The members of the JSON object; `received` is the sum of those between it and `not-kept`.
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
            ("foreign", verifiedCounts(.foreign)),
            ("development", verifiedCounts(.development)),
            ("test", verifiedCounts(.test)),
            ("not-kept", .integer(notKept)),
            ("developer-copies", .integer(received(by: .developer))),
            ("also-from-another-recipient", .integer(otherRecipients)),
            (
                "repeats",
                .object(RepeatDelay.allCases.map { ($0.name, .integer(repeats[$0, default: 0])) })
            ),
        ]
    }

    private func verifiedCounts(_ traffic: Traffic) -> JSONText {
        .object(
            Recording.Status.verified.map { ($0.rawValue, .integer(count($0, traffic))) })
    }

    /// The counts as JSON.
    package var json: JSONText {
        .object(members)
    }

    /// The counts as a few lines of text, not wrapped.
    func lines(areUntilNow: Bool) -> [String] {
        let reasons = PostbackRejection.Code.kept
            .map { "\($0.rawValue) \(quarantined($0))" }
            .joined(separator: ", ")
        var lines = [
            "Deliveries\(areUntilNow ? " until now" : ""): received \(received), recorded \(count(.recorded, .apple)), "
                + "duplicate \(count(.duplicate, .apple)), conflict \(count(.conflict, .apple)), "
                + "quarantined \(quarantined) (\(reasons))"
        ]
        // Test traffic is always listed, to show that the numbers above do not include it.
        for (traffic, name) in [(Traffic.foreign, "Foreign"), (.development, "Development"), (.test, "Test")] {
            let counts = Recording.Status.verified.map { ($0.rawValue, count($0, traffic)) }
            if traffic == .test || counts.contains(where: { $0.1 > 0 }) {
                lines.append("\(name) deliveries: " + counts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
            }
        }
        if notKept > 0 {
            lines.append(
                "Of these \(notKept) were counted without keeping their bytes: a limit of the quarantine was reached.")
        }
        if received(by: .developer) > 0 {
            lines.append("Of these \(received(by: .developer)) were developers' copies.")
        }
        if repeats.contains(where: { $0.value > 0 }) {
            let delays = RepeatDelay.allCases.map { "\($0.name) \(repeats[$0, default: 0])" }
            lines.append("Repeats after the first copy: " + delays.joined(separator: ", "))
        }
        return lines
    }
}

extension PostbackRejection.Code {
    /// The reasons of quarantine; bodies that are not JSON are refused instead.
    static let kept = allCases.filter { $0 != .notJSON }
}

extension Recording.Status {
    /// The results of deliveries whose signature verifies.
    fileprivate static let verified = allCases.filter { $0 != .quarantined }
}
