import Attribution
package import AttributionSigning
package import AttributionStore
import FoundationEssentials

/// Sends recorded postbacks to destinations, once each.
package struct DestinationSender: Sendable {
    private let client = DestinationClient()
    private let verifier: @Sendable () -> PostbackVerifier

    /// Makes a sender; the verifier is asked for each time, because its keys may be replaced.
    package init(verifier: @escaping @Sendable () -> PostbackVerifier) {
        self.verifier = verifier
    }

    /// Reads postbacks and verifies them again; nil for each that a destination does not want.
    package func read(
        _ postbacks: [RecordedPostback], for destination: Destination
    ) -> [Result<OutgoingPostback, OutgoingProblem>?] {
        zip(postbacks, OutgoingPostback.read(postbacks, by: verifier())).map { recorded, outgoing in
            let isWanted =
                switch outgoing {
                case .success(let outgoing): destination.filters.accept(outgoing)
                // What cannot be read is reported where it would belong.
                case .failure: recorded.traffic == destination.filters.provenance
                }
            return isWanted ? outgoing : nil
        }
    }

    /// Sends a postback that was read, or is read now.
    package func send(
        _ postback: RecordedPostback, _ read: Result<OutgoingPostback, OutgoingProblem>? = nil,
        to destination: Destination
    ) async -> DeliveryPlan.Outcome {
        guard let read = read ?? self.read([postback], for: destination).first ?? nil else {
            return .passedOver
        }
        do throws(OutgoingProblem) {
            let request = try OutgoingRequest(read.get(), to: destination, verifier: verifier())
            return .attempted(
                await client.send(request, to: destination, at: Int64(Date().timeIntervalSince1970)))
        } catch {
            return error.isTemporary ? .attempted(.failed(error.description)) : .unusable(error.description)
        }
    }
}

extension Destination {
    /// Its name, where it is and what it gets, in one line without secrets.
    package var summary: String {
        let scheme = url.isSecure ? "https" : "http"
        let order = isOrdered ? ", in order" : ""
        return "\(name): \(method.rawValue) \(scheme)://\(url.server), \(body.rawValue)\(order), "
            + "postbacks of \(filters.provenance.rawValue)"
    }
}
