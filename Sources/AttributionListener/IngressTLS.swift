package import FoundationEssentials
package import NIOSSL
import Synchronization

/// The listeners' TLS identity, which can be exchanged while they serve.
///
/// New connections take the identity as it is when they are accepted; open ones keep theirs.
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

    /// What the next connection is served with.
    package func currentContext() -> NIOSSLContext {
        identity.context
    }
}
