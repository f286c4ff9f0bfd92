import Attribution
import AttributionHarness
import Foundation

/// Notes each transaction id that was answered 200, at once, for checking a server that was killed.
struct AnswerLog: Sendable {
    private let file: FileHandle

    init(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot write \(path)", hint: "check that the folder exists and can be written")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// One line a verified postback answered 200: its status, transaction id and sequence index.
    func note(_ answer: TrafficSender.Answer) {
        guard answer.status == 200, let verdict = answer.verdict, verdict != "quarantined",
            let postback = try? ReceivedPostback(reading: answer.delivery.body)
        else {
            return
        }
        let key = postback.key
        let index = key.sequenceIndex.map { String($0) } ?? ""
        // One write a line: lines of several threads do not mix.
        file.write(Data("\(verdict) \(key.transactionID) \(index)\n".utf8))
    }
}
