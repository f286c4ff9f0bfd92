import AttributionAccess
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

    /// Makes sessions.
    ///
    /// - Parameter isSecure: Whether the cookie is only sent over TLS, as it must be off loopback.
    package init(isSecure: Bool) {
        self.isSecure = isSecure
        var generator = SystemRandomNumberGenerator()
        commonFormToken = SessionTable.secret(using: &generator)
    }

    /// With the prefix, a browser accepts the cookie over TLS only, for this host alone.
    private var name: String {
        isSecure ? "__Host-skan-session" : "skan-session"
    }

    /// The session of a request; nil without a live one.
    func session(of request: IngressRequest, at now: ContinuousClock.Instant) -> SessionTable.Session? {
        id(in: request).flatMap { id in table.withLock { $0.session(id, at: now) } }
    }

    /// Begins a session.
    ///
    /// - Returns: The value of Set-Cookie.
    func begin(_ grant: AccessGrant, at now: ContinuousClock.Instant) -> String {
        let session = table.withLock { table in
            var generator = SystemRandomNumberGenerator()
            return table.begin(grant, at: now, using: &generator)
        }
        return cookie(session.id, seconds: SessionTable.lifetime.components.seconds)
    }

    /// Ends the session of a request.
    ///
    /// - Returns: The value of Set-Cookie.
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
