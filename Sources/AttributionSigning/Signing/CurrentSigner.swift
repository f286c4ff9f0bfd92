import Synchronization

/// The signer in use, which can be replaced while requests are answered.
///
/// Read it once per request, so that the whole answer comes from one key list.
package final class CurrentSigner: Sendable {
    private let state: Mutex<NetworkSigner>

    /// Makes an object with an initial signer.
    package init(_ signer: NetworkSigner) {
        state = Mutex(signer)
    }

    /// The signer for a request.
    package var signer: NetworkSigner {
        state.withLock { $0 }
    }

    /// Replaces the signer, from the next request on.
    package func use(_ signer: NetworkSigner) {
        state.withLock { $0 = signer }
    }
}
