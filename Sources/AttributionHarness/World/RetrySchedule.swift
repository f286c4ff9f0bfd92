/// When a device tries to deliver a postback: nine times over nine days, until a server answers 200.
///
/// Apple says no more; here a try follows each day after the last one, up to an hour later.
package struct RetrySchedule: Sendable {
    /// How many tries there are, the first one included.
    package static let tries = 9

    private let first: Int64
    private let jitter: Int64

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - first: The time of the first try, in milliseconds.
    ///   - generator: Draws how much later than a day each further try comes.
    package init(first: Int64, using generator: inout some RandomNumberGenerator) {
        self.first = first
        jitter = Int64.random(in: 0...AppleRules.hour, using: &generator)
    }

    /// The time of a try, counted from 0.
    package func time(ofTry number: Int) -> Int64 {
        // The last try is within nine days of the first, by any jitter.
        first + Int64(number) * (AppleRules.day + jitter)
    }

    /// Finds the first try that reaches a server.
    ///
    /// - Parameter outages: When the server does not answer.
    /// - Returns: The try, counted from 0; nil when the device gives up.
    package func firstDelivered(outside outages: [Range<Int64>]) -> Int? {
        (0..<Self.tries).first { number in
            !outages.contains { $0.contains(time(ofTry: number)) }
        }
    }
}
