package import FoundationEssentials
import Synchronization
package import TLS

/// The listeners' TLS identity, which can be replaced while they serve.
///
/// New connections take the identity current when they are accepted; open ones keep theirs.
package final class IngressTLS: Sendable {
    private let state: Mutex<TLSIdentity>

    /// Serves with an identity.
    package init(_ identity: TLSIdentity) {
        state = Mutex(identity)
    }

    /// Serves new connections with another identity.
    package func use(_ identity: TLSIdentity) {
        state.withLock { $0 = identity }
    }

    /// The identity in use.
    package var identity: TLSIdentity {
        state.withLock { $0 }
    }

    /// When clients stop accepting the certificate in use.
    package var notValidAfter: Date {
        identity.notValidAfter
    }

    /// The TLS context of the next connection.
    package func currentContext() -> TLSContext {
        identity.context
    }
}
