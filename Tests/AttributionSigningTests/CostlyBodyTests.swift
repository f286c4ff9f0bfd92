import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("The cost of hostile bodies", .serialized)
struct CostlyBodyTests {
    /// How much longer than for a genuine postback reading and verifying may take.
    ///
    /// They are a fifth of what a genuine postback costs a server, and nearly all that a costly body does. Of the whole,
    /// `make bench PARTS=costly` allows ten times; the aim is four.
    static let bound = 20.0

    @Test("No body within the limits costs much more than a genuine postback")
    func bounded() throws {
        let verifier = try PostbackVerifier()
        try verifier.prepareTables()
        let genuine = try CostlyBody.genuine()
        var rows: [String] = []
        for costly in try CostlyBody.all() {
            #expect(costly.body.count <= JSONObject.maximumLength, "\(costly)")
            // In turns, so that other load on the machine affects both.
            var (ours, theirs): ([Double], [Double]) = ([], [])
            for _ in 0..<15 {
                ours.append(Self.microseconds(genuine.body, verifier))
                theirs.append(Self.microseconds(costly.body, verifier))
            }
            let ratio = zip(theirs, ours).map { $0 / $1 }.sorted()[7]
            rows.append("\(Self.cell(theirs.sorted()[7], 9)) µs \(Self.cell(ratio, 6))x \(costly)")
            #expect(ratio <= Self.bound, "\(costly): \(ratio) times a genuine postback")
        }
        print(rows.joined(separator: "\n"))
    }

    @Test("The statements of a postback cost little compared with verifying it")
    func statements() throws {
        let verifier = try PostbackVerifier()
        try verifier.prepareTables()
        let body = try CostlyBody.genuine().body
        let postback = try ReceivedPostback(reading: body)
        let verifying = Self.microseconds(body, verifier)
        let spelling = Self.microseconds(batches: 500) { postback.statements.count }
        let reading = Self.microseconds(batches: 500) { (try? ReceivedPostback(reading: body))?.body.count ?? 0 }
        print("\(Self.cell(spelling, 9)) µs for the statements, \(Self.cell(reading, 9)) µs for reading")
        #expect(spelling < verifying)
    }

    /// The cost of reading and verifying one of many bodies, including the message of a rejection.
    private static func microseconds(_ body: [UInt8], _ verifier: PostbackVerifier) -> Double {
        let bodies = Array(repeating: body, count: 64)
        let batch = microseconds(batches: 1) {
            verifier.judge(bodies).reduce(0) { sum, judgement in
                if case .rejected(let rejection, _) = judgement { sum + rejection.description.utf8.count } else { sum }
            }
        }
        return batch / Double(bodies.count)
    }

    /// The processor time of a closure.
    private static func microseconds(batches: Int, _ work: () -> Int) -> Double {
        var sum = 0
        let start = clock()
        for _ in 0..<batches {
            sum &+= work()
        }
        // Keeps the optimizer from removing the work.
        precondition(sum != .min)
        return (clock() - start) / Double(batches)
    }

    /// This thread's processor time.
    private static func clock() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static func cell(_ value: Double, _ width: Int) -> String {
        let text = String(format: "%.2f", value)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
