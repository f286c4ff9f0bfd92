import NIOCore

/// The complete requests of one connection: the one being handled, and those queued behind it.
struct AnswerQueue {
    /// How a request is dealt with.
    enum Outcome {
        /// It goes to its route.
        case accepted(CompleteRequest)
        /// The listener answers it.
        case refused(IngressRefusal)
    }

    private enum Flight {
        case none
        /// The route is being called; nothing else happens until it returns.
        case callingRoute(RequestInFlight)
        /// The route answered before it returned.
        case answeredInCall
        /// The answer is awaited.
        case awaited(RequestInFlight)
    }

    private var flight = Flight.none
    /// The number of the request handed over last.
    private var number = 0
    private var waiting = CircularBuffer<(RequestInFlight, Outcome)>(initialCapacity: 1)

    /// Whether a request is being handled and its answer is still wanted.
    var isInFlight: Bool {
        switch flight {
        case .callingRoute, .awaited: true
        case .none, .answeredInCall: false
        }
    }

    /// Whether a route is being called.
    var isCallingRoute: Bool {
        switch flight {
        case .callingRoute, .answeredInCall: true
        case .none, .awaited: false
        }
    }

    /// Whether every request has its answer.
    var isEmpty: Bool { waiting.isEmpty && !isInFlight }
    var waitingCount: Int { waiting.count }

    /// Queues a request.
    mutating func append(_ request: RequestInFlight, _ outcome: Outcome) {
        waiting.append((request, outcome))
    }

    /// Removes the next request, when none is in flight.
    mutating func popNext() -> (RequestInFlight, Outcome)? {
        isInFlight ? nil : waiting.popFirst()
    }

    /// Begins the call of a route.
    ///
    /// - Returns: The number of the request on its connection, counted from 1.
    mutating func callRoute(for request: RequestInFlight) -> Int {
        flight = .callingRoute(request)
        number += 1
        return number
    }

    /// Ends the call of the route.
    mutating func routeReturned() {
        switch flight {
        case .callingRoute(let request): flight = .awaited(request)
        case .answeredInCall: flight = .none
        case .none, .awaited: break
        }
    }

    /// Removes the request that an answer is for; `nil` when its answer is no longer wanted.
    mutating func takeAnswered(_ number: Int) -> RequestInFlight? {
        number == self.number ? takeInFlight() : nil
    }

    /// Removes the request whose answer is awaited.
    mutating func takeInFlight() -> RequestInFlight? {
        switch flight {
        case .callingRoute(let request):
            flight = .answeredInCall
            return request
        case .awaited(let request):
            flight = .none
            return request
        case .none, .answeredInCall:
            return nil
        }
    }

    /// Drops the queued requests.
    mutating func removeWaiting() {
        waiting.removeAll()
    }
}
