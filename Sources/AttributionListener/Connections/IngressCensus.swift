import Synchronization

/// Whether a new connection may stay.
enum IngressAdmission: String, Sendable {
    case accepted = "accepted"
    case overTotalCap = "over-total-cap"
    case overAddressCap = "over-address-cap"
    case stopping = "stopping"
}

/// Counts the open connections of all event loops and decides on new ones.
final class IngressCensus: Sendable {
    private struct State {
        var total = 0
        var byNetwork: [InternetAddress: Int] = [:]
        var isStopping = false
        var whenEmpty: (@Sendable () -> Void)?
    }

    private let limits: IngressLimits
    private let state = Mutex(State())
    /// The requests that clients behind trusted proxies have in flight.
    let shares: ClientShares

    init(limits: IngressLimits) {
        self.limits = limits
        shares = ClientShares(limit: limits.connectionsPerAddress)
    }

    /// Counts a connection, if it may stay.
    ///
    /// - Parameter network: The client to count it for; `nil` counts it in the total only.
    /// - Returns: Whether it may stay.
    func admit(_ network: InternetAddress?) -> IngressAdmission {
        state.withLock { state in
            guard !state.isStopping else { return .stopping }
            guard state.total < limits.connections else { return .overTotalCap }
            if let network {
                let held = state.byNetwork[network, default: 0]
                guard held < limits.connectionsPerAddress else { return .overAddressCap }
                state.byNetwork[network] = held + 1
            }
            state.total += 1
            return .accepted
        }
    }

    /// Stops counting a connection that was admitted.
    ///
    /// - Parameter network: The client it was counted for.
    func leave(_ network: InternetAddress?) {
        let whenEmpty = state.withLock { state in
            state.total -= 1
            if let network, let held = state.byNetwork[network] {
                state.byNetwork[network] = held > 1 ? held - 1 : nil
            }
            return state.total == 0 ? state.whenEmpty.take() : nil
        }
        whenEmpty?()
    }

    /// Admits no connection from now on.
    ///
    /// - Parameter whenEmpty: Called once, as soon as no connection is left.
    func stop(whenEmpty: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            state.isStopping = true
            if state.total > 0 { state.whenEmpty = whenEmpty }
            return state.total == 0
        }
        if isEmpty { whenEmpty() }
    }
}
