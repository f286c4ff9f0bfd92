package import AttributionAccess

/// The sessions of people who logged in; bounded in number, and each in time.
package struct SessionTable {
    /// A session.
    package struct Session: Sendable {
        /// The secret in its cookie.
        package let id: String
        /// What its token granted when it began; the list of tokens decides again at every request.
        package let grant: AccessGrant
        /// The secret in its forms.
        package let formToken: String
        let began: ContinuousClock.Instant
        fileprivate(set) var used: ContinuousClock.Instant
    }

    /// The most sessions; beyond that, the one that was used longest ago ends.
    package static let capacity = 1_000
    /// The most sessions of one token, so that one holder does not end those of others.
    package static let capacityPerToken = 16
    /// How long a session lasts without a request.
    package static let idle = Duration.seconds(3_600)
    /// How long a session lasts.
    package static let lifetime = Duration.seconds(12 * 3_600)

    private var sessions: [String: Session] = [:]

    /// Makes an empty table.
    package init() {}

    /// How many sessions there are.
    package var count: Int {
        sessions.count
    }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - grant: What the token grants.
    ///   - now: The current instant.
    ///   - generator: A cryptographically secure source of random bits.
    /// - Returns: The session, with secrets of 128 bits each.
    package mutating func begin(
        _ grant: AccessGrant,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Session {
        sessions = sessions.filter { Self.isLive($0.value, at: now) }
        let ofToken = sessions.values.filter { $0.grant.id == grant.id }
        if ofToken.count >= Self.capacityPerToken {
            endOldest(of: ofToken)
        } else if sessions.count >= Self.capacity {
            endOldest(of: Array(sessions.values))
        }
        let session = Session(
            id: Self.secret(using: &generator), grant: grant, formToken: Self.secret(using: &generator), began: now,
            used: now)
        sessions[session.id] = session
        return session
    }

    /// The session of a cookie, which this request prolongs; nil for an unknown or ended one.
    package mutating func session(_ id: String, at now: ContinuousClock.Instant) -> Session? {
        guard var session = sessions[id] else {
            return nil
        }
        guard Self.isLive(session, at: now) else {
            sessions[id] = nil
            return nil
        }
        session.used = now
        sessions[id] = session
        return session
    }

    /// Ends a session.
    package mutating func end(_ id: String) {
        sessions[id] = nil
    }

    private mutating func endOldest(of candidates: [Session]) {
        if let oldest = candidates.min(by: { $0.used < $1.used }) {
            sessions[oldest.id] = nil
        }
    }

    private static func isLive(_ session: Session, at now: ContinuousClock.Instant) -> Bool {
        now - session.used < idle && now - session.began < lifetime
    }

    /// 128 random bits as 32 hexadecimal digits.
    static func secret(using generator: inout some RandomNumberGenerator) -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
