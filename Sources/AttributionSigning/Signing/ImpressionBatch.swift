package import Attribution
import StrictJSON

/// Orders given one per line (NDJSON), each answered on a line of its own, in the same order.
///
/// A line that cannot be signed refuses only itself. All are signed together and verified together, which takes half the
/// time, and before any leaves.
package struct ImpressionBatch: Sendable {
    /// The maximum length of one order, in bytes.
    package static let orderLimit = 64 << 10
    /// The maximum length of a request with a batch, in bytes.
    package static let bodyLimit = 256 << 10
    /// The maximum number of orders in a request.
    package static let maximumOrders = 1_000
    /// The maximum number of signatures that the orders of a request ask for together, some tens of milliseconds of work:
    /// an order may ask for a dozen.
    package static let maximumSignatures = 2_000

    package struct Answers: Sendable {
        /// One JSON object per order and line, each with its number.
        package var text: [UInt8] { json.bytes }

        private var json = JSONWriter()
        /// How many orders were signed.
        package internal(set) var signed = 0
        /// The lines that were refused, and why.
        package internal(set) var refusals: [(line: Int, error: any CodedError)] = []

        package init() {}
    }

    /// An order with the number of its line, or why it cannot be read.
    package let orders: [(line: Int, order: Result<ImpressionOrder, SigningRefusal>)]

    /// Reads the orders in a text; blank lines are counted and skipped.
    ///
    /// - Parameters:
    ///   - text: Lines, the last with or without its end.
    ///   - first: The number of the first line.
    ///   - omitted: How many bytes of the first line are not in the text, because it is too long anyway.
    package init(reading text: [UInt8], from first: Int = 1, omitting omitted: Int = 0) {
        var orders: [(Int, Result<ImpressionOrder, SigningRefusal>)] = []
        var line = first
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            let order = text[start..<end]
            if line == first, omitted > 0 {
                let error = JSONError.tooLong(count: order.count + omitted, limit: Self.orderLimit)
                orders.append((line, .failure(.notJSON(error))))
            } else if !Self.isBlank(order) {
                orders.append(
                    (
                        line,
                        Result { () throws(SigningRefusal) in
                            try ImpressionOrder(reading: Array(order), limit: Self.orderLimit)
                        }
                    ))
            }
            line += 1
            start = end + 1
        }
        self.orders = orders
    }

    /// Reads the orders in a request, which is limited.
    package init(readingRequest body: [UInt8]) throws(SigningRefusal) {
        // Before any is read.
        let count = body.split(separator: UInt8(ascii: "\n")).count { !Self.isBlank($0) }
        guard count <= Self.maximumOrders else {
            throw Self.wrongCount("\(count) orders")
        }
        guard count > 0 else {
            throw Self.wrongCount("no order")
        }
        self.init(reading: body)
        let signatures = orders.reduce(0) { count, item in
            if case .success(let order) = item.order { count + order.signatureCount } else { count }
        }
        guard signatures <= Self.maximumSignatures else {
            throw .field(
                FieldProblem(
                    field: "body", found: "orders for \(signatures) signatures",
                    expected: "at most \(Self.maximumSignatures) signatures in a request; send fewer orders at once"))
        }
    }

    private static func isBlank(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }

    private static func wrongCount(_ found: String) -> SigningRefusal {
        .field(
            FieldProblem(
                field: "body", found: found,
                expected: "at most \(maximumOrders) orders in a request, one per line"))
    }

    /// The number of orders.
    package var count: Int { orders.count }

    /// Signs the orders.
    ///
    /// - Parameters:
    ///   - time: The time to sign.
    ///   - generator: The source of the nonces; a system generator for real ads.
    ///   - requestSignatures: Asks external signers; called at most once, with all that the orders need.
    ///   - signer: The signer of an impression; its error refuses the order.
    /// - Returns: The answers.
    /// - Throws: An error without a code, such as one of OpenSSL; nothing was answered then.
    package func answers(
        at time: UnixMilliseconds,
        using generator: inout some RandomNumberGenerator,
        requesting requestSignatures: ([SignatureRequest]) async -> ExternalSignatures = { _ in [:] },
        signer: (Impression) throws -> ImpressionSigner
    ) async throws -> Answers {
        var unsigned: [UnsignedImpression] = []
        var pending: [(line: Int, result: Result<Range<Int>, any Error>)] = []
        pending.reserveCapacity(orders.count)
        for (line, order) in orders {
            do {
                let ad = try order.get().impressions(at: time, nonce: { Nonce(using: &generator) })
                    .map { try UnsignedImpression($0, try signer($0)) }
                pending.append((line, .success(unsigned.count..<unsigned.count + ad.count)))
                unsigned += ad
            } catch let error as any CodedError {
                pending.append((line, .failure(error)))
            }
        }
        var signed = unsigned.signed(with: [:])
        let needed = signed.compactMap { result in
            if case .failure(let error as ExternalSignatureNeeded) = result { error.request } else { nil }
        }
        if !needed.isEmpty {
            signed = unsigned.signed(with: await requestSignatures(needed))
        }
        var answers = Answers()
        for (line, result) in pending {
            do {
                answers.add(line, .ad(try result.get().map { try signed[$0].get() }))
            } catch let error as any CodedError {
                answers.add(line, error)
            }
        }
        return answers
    }
}

extension ImpressionBatch.Answers {
    /// Adds the answer to an order that was signed.
    package mutating func add(_ line: Int, _ answer: SigningPlan.Answer) {
        append(line, answer.writeMembers)
        signed += 1
    }

    /// Adds the answer to an order that is refused.
    package mutating func add(_ line: Int, _ error: any CodedError) {
        append(line) { $0.members(error.members()) }
        refusals.append((line, error))
    }

    private mutating func append(_ line: Int, _ writeMembers: (inout JSONWriter) -> Void) {
        json.object { json in
            json.member("line", Int64(line))
            writeMembers(&json)
        }
        json.endLine()
    }
}
