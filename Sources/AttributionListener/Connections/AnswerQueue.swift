import NIOCore

/// The complete requests of one connection: the one its route is at, and those that wait for their turn behind it.
struct AnswerQueue {
    /// What is to happen with a request.
    enum Outcome {
        /// It goes to its route.
        case accepted(CompleteRequest)
        /// The listener answers it.
        case refused(IngressRefusal)
    }

    private enum Flight {
        case none
        /// The route is being called; nothing else is done until it returns.
        case callingRoute(RequestInFlight)
        /// The route has answered before it returned.
        case answeredInCall
        /// The answer is awaited.
        case awaited(RequestInFlight)
    }

    private var flight = Flight.none
    /// The number of the request that was handed over last.
    private var number = 0
    private var waiting = CircularBuffer<(RequestInFlight, Outcome)>(initialCapacity: 1)

    /// Whether a route is at a request and its answer is wanted.
    var isInFlight: Bool {
        switch flight {
        case .callingRoute, .awaited: true
        case .none, .answeredInCall: false
        }
    }

    /// Whether a route is being called at this moment.
    var isCallingRoute: Bool {
        switch flight {
        case .callingRoute, .answeredInCall: true
        case .none, .awaited: false
        }
    }

    /// Whether every request has its answer.
    var isEmpty: Bool { waiting.isEmpty && !isInFlight }
    var waitingCount: Int { waiting.count }

    /// Has a request wait for its turn.
    mutating func append(_ request: RequestInFlight, _ outcome: Outcome) {
        waiting.append((request, outcome))
    }

    /// The next request, when it is its turn.
    mutating func popNext() -> (RequestInFlight, Outcome)? {
        isInFlight ? nil : waiting.popFirst()
    }

    /// Begins the call of a route.
    ///
    /// - Returns: The number of the request on its connection, from 1 on.
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

    /// Takes the request out that an answer is for; `nil` when its answer is not wanted, or not any more.
    mutating func takeAnswered(_ number: Int) -> RequestInFlight? {
        number == self.number ? takeInFlight() : nil
    }

    /// Takes the request out whose answer is awaited.
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

    /// Forgets the requests that wait.
    mutating func removeWaiting() {
        waiting.removeAll()
    }
}
