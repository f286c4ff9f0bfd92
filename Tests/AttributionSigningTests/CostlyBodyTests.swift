import Attribution
import AttributionHarness
import AttributionSigning
import Foundation
import StrictJSON
import Testing

@Suite("What a hostile body may cost", .serialized)
struct CostlyBodyTests {
    /// How many times the time of a genuine postback a body may take; the aim is four.
    static let bound = 10.0

    @Test("No body within the limits costs many times a genuine postback")
    func bounded() throws {
        let verifier = try PostbackVerifier()
        try verifier.prepareTables()
        let genuine = try CostlyBody.genuine()
        var rows: [String] = []
        for costly in try CostlyBody.all() {
            #expect(costly.body.count <= JSONObject.maximumLength, "\(costly)")
            // In turns, so that whatever else the machine does meets both.
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

    @Test("The one spelling of what a postback says costs little beside verifying it")
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

    /// What reading and verifying one of many costs, and what is said of it when it is rejected: that is kept and sent.
    private static func microseconds(_ body: [UInt8], _ verifier: PostbackVerifier) -> Double {
        let bodies = Array(repeating: body, count: 64)
        let batch = microseconds(batches: 1) {
            verifier.judge(bodies).reduce(0) { sum, judgement in
                if case .rejected(let rejection, _) = judgement { sum + rejection.description.utf8.count } else { sum }
            }
        }
        return batch / Double(bodies.count)
    }

    /// The processor time of a piece of work.
    private static func microseconds(batches: Int, _ work: () -> Int) -> Double {
        var sum = 0
        let start = clock()
        for _ in 0..<batches {
            sum &+= work()
        }
        // Nobody may decide that the work is not needed.
        precondition(sum != .min)
        return (clock() - start) / Double(batches)
    }

    /// This thread's processor time, so that whatever else runs does not count.
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
