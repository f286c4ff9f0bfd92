import Synchronization

/// The signer in use, which can be replaced while requests are answered.
///
/// Read it once per request, so that the whole answer comes from one key list.
package final class CurrentSigner: Sendable {
    /// A key list, as an object to tell it from others.
    package final class Keys: Sendable {
        /// Signs with the list.
        package let signer: NetworkSigner

        fileprivate init(signer: NetworkSigner) {
            self.signer = signer
        }
    }

    private let state: Mutex<Keys>

    package init(_ signer: NetworkSigner) {
        state = Mutex(Keys(signer: signer))
    }

    /// The key list for a request.
    package var keys: Keys {
        state.withLock { $0 }
    }

    /// The signer for a request.
    package var signer: NetworkSigner { keys.signer }

    /// Replaces the signer, from the next request on.
    package func use(_ signer: NetworkSigner) {
        state.withLock { $0 = Keys(signer: signer) }
    }
}
