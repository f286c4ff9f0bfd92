import AttributionListener
import Synchronization

/// The sessions of the console's pages, and the cookie that names one.
package final class ConsoleSessions: Sendable {
    private let table = Mutex(SessionTable())
    /// The secret in forms of people without a session: of everyone on a console without tokens, and of the login.
    ///
    /// Other sites cannot read it, because they cannot read a page of this one.
    let commonFormToken: String
    private let isSecure: Bool

    /// Makes sessions; `isSecure` sends the cookie over TLS only, as it must be off loopback.
    package init(isSecure: Bool) {
        self.isSecure = isSecure
        var generator = SystemRandomNumberGenerator()
        commonFormToken = generator.hexadecimal(words: SessionTable.secretWords)
    }

    /// With the prefix, a browser accepts the cookie over TLS only, for this host alone.
    private var name: String {
        isSecure ? "__Host-skan-session" : "skan-session"
    }

    /// The session of a request; nil without a live one.
    func session(of request: IngressRequest, at now: ContinuousClock.Instant) -> SessionTable.Session? {
        id(in: request).flatMap { id in table.withLock { $0.session(id, at: now) } }
    }

    /// Begins a session; returns the value of Set-Cookie.
    func begin(_ grant: AccessGrant, at now: ContinuousClock.Instant) -> String {
        let session = table.withLock { table in
            var generator = SystemRandomNumberGenerator()
            return table.begin(grant, at: now, using: &generator)
        }
        return cookie(session.id, seconds: SessionTable.lifetime.components.seconds)
    }

    /// Ends the session of a request; returns the value of Set-Cookie.
    func end(of request: IngressRequest) -> String {
        if let id = id(in: request) {
            end(id)
        }
        return cookie("", seconds: 0)
    }

    /// Ends a session whose token is no longer valid.
    func end(_ id: String) {
        table.withLock { $0.end(id) }
    }

    private func cookie(_ id: String, seconds: Int64) -> String {
        "\(name)=\(id); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }

    private func id(in request: IngressRequest) -> String? {
        for line in request.fields.values("cookie") {
            for pair in line.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                if pair.hasPrefix(name + "=") {
                    return String(pair.dropFirst(name.utf8.count + 1))
                }
            }
        }
        return nil
    }
}

/// The sessions of people who logged in; bounded in number, and each in time.
package struct SessionTable {
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

    /// Secrets have 128 bits.
    static let secretWords = 2

    private var sessions: [String: Session] = [:]

    package init() {}

    package var count: Int {
        sessions.count
    }

    package mutating func begin(
        _ grant: AccessGrant,
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) -> Session {
        sessions = sessions.filter { Self.isLive($0.value, at: now) }
        let ofToken = sessions.values.filter { $0.grant.id == grant.id }
        let crowd = ofToken.count >= Self.capacityPerToken ? ofToken : Array(sessions.values)
        if ofToken.count >= Self.capacityPerToken || sessions.count >= Self.capacity,
            let oldest = crowd.min(by: { $0.used < $1.used })
        {
            sessions[oldest.id] = nil
        }
        let session = Session(
            id: generator.hexadecimal(words: Self.secretWords), grant: grant,
            formToken: generator.hexadecimal(words: Self.secretWords), began: now, used: now)
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

    package mutating func end(_ id: String) {
        sessions[id] = nil
    }

    private static func isLive(_ session: Session, at now: ContinuousClock.Instant) -> Bool {
        now - session.used < idle && now - session.began < lifetime
    }
}
