import Synchronization

/// Whether a new connection may stay.
enum IngressAdmission: String, Sendable {
    case accepted = "accepted"
    case reserved = "reserved"
    case overTotalCap = "over-total-cap"
    case overAddressCap = "over-address-cap"
    case stopping = "stopping"
}

/// Counts the open connections of all event loops and decides on new ones.
final class IngressCensus: Sendable {
    private struct State {
        /// The connections that are open to every route.
        var ordinary = 0
        /// Those that are open to probes only.
        var reserved = 0
        var total: Int { ordinary + reserved }
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
    func admit(_ network: InternetAddress?) -> IngressAdmission {
        state.withLock { state in
            guard !state.isStopping else { return .stopping }
            let held = network.map { state.byNetwork[$0, default: 0] }
            let isOverAddressCap = held.map { $0 >= limits.connectionsPerAddress } ?? false
            guard !isOverAddressCap, state.ordinary < limits.ordinaryConnections else {
                guard state.reserved < limits.probeConnections else {
                    return isOverAddressCap ? .overAddressCap : .overTotalCap
                }
                state.reserved += 1
                return .reserved
            }
            if let network, let held { state.byNetwork[network] = held + 1 }
            state.ordinary += 1
            return .accepted
        }
    }

    /// Counts a connection that was admitted for the client that its proxy named, if it may stay.
    func identify(_ network: InternetAddress) -> Bool {
        state.withLock { state in
            let held = state.byNetwork[network, default: 0]
            guard held < limits.connectionsPerAddress else { return false }
            state.byNetwork[network] = held + 1
            return true
        }
    }

    /// Stops counting a connection that was admitted.
    func leave(_ network: InternetAddress?, isReserved: Bool) {
        let whenEmpty = state.withLock { state in
            if isReserved { state.reserved -= 1 } else { state.ordinary -= 1 }
            if !isReserved, let network, let held = state.byNetwork[network] {
                state.byNetwork[network] = held > 1 ? held - 1 : nil
            }
            return state.total == 0 ? state.whenEmpty.take() : nil
        }
        whenEmpty?()
    }

    /// Admits no connection from now on.
    func stop(whenEmpty: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            state.isStopping = true
            if state.total > 0 { state.whenEmpty = whenEmpty }
            return state.total == 0
        }
        if isEmpty { whenEmpty() }
    }
}
