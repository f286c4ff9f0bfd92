import Synchronization

/// The signer in use, which can be exchanged while requests are answered.
///
/// Whoever answers a request takes the signer once, so that everything in the answer comes from one list of keys.
package final class CurrentSigner: Sendable {
    private let state: Mutex<NetworkSigner>

    /// Begins with a signer.
    package init(_ signer: NetworkSigner) {
        state = Mutex(signer)
    }

    /// The signer for one request.
    package var signer: NetworkSigner {
        state.withLock { $0 }
    }

    /// Signs with another list of keys from the next request on.
    package func use(_ signer: NetworkSigner) {
        state.withLock { $0 = signer }
    }
}
