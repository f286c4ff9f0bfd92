import Attribution
import AttributionHarness
import AttributionServer
import Foundation

extension SimulateCommand {
    /// The server to post to; nil when nothing is posted.
    func target() throws -> DeliveryTarget? {
        if let reportUrl {
            _ = try URLComponents(server: reportUrl, option: "--report-url", takesPath: false)
        }
        guard let post else {
            return nil
        }
        if post.contains("@") {
            // Refused by name, and not shown.
            _ = try URLComponents(server: post, option: "--post")
        }
        guard let target = DeliveryTarget(post) else {
            let example = DeliveryTarget("http://\(post)") == nil || post.contains("://") ? "127.0.0.1:8080" : post
            throw CommandFailure("--post: found \(post), expected a URL", hint: "for example http://\(example)")
        }
        _ = try URLComponents(server: post, option: "--post")
        return target
    }

    /// Posts the deliveries, and compares the report with what was sent if one was named.
    func send(_ run: inout ScenarioRun, to target: DeliveryTarget) async throws {
        var comparison: ReportComparison?
        if let reportUrl {
            comparison = try await ReportComparison(.console(url: reportUrl), days: [])
        } else if let reportStore {
            comparison = try await ReportComparison(.store(try StoreLocation(reportStore).makeReader()), days: [])
        }
        let log = try answers.map(AnswerLog.init)
        let begin = ContinuousClock.now
        let sender = TrafficSender(target: target, concurrency: concurrency)
        let result: TrafficSender.Result
        do {
            result = try await run.post(by: sender, pace: pace, isTimed: isTimed) { log?.append($0) }
        } catch let distrust as TrafficSender.Distrust {
            throw failure(distrust)
        }
        say(result, since: begin, "sent")
        try conclude(result, try await comparison?.differences(from: run.expected))
    }

    private func failure(_ distrust: TrafficSender.Distrust) -> CommandFailure {
        let answer = distrust.answer
        guard let status = answer.status else {
            return CommandFailure(
                "no answer from \(distrust.url): \(answer.failure ?? "the connection failed")",
                hint: "skan serve --store skan.sqlite \(trust)")
        }
        let words = ["\(status)", answer.verdict, answer.provenance].compactMap(\.self).joined(separator: " ")
        let (reason, cure): (String, String) =
            switch status {
            case 200 where answer.verdict == nil: ("it is no server of skan", "--post names one of skan serve")
            case 200: ("the server does not trust the test keys", "skan serve --store skan.sqlite \(trust)")
            case 300..<400:
                (
                    "it redirects to \(answer.redirect ?? "nowhere")",
                    "redirects are not followed: give --post the address it redirects to"
                )
            case 404, 405:
                (
                    "it has no such path",
                    "--post without a path takes those of skan serve, such as /skadnetwork/postbacks"
                )
            case 503: ("the server cannot record now", "its /readyz says why")
            default: ("it does not take postbacks", "its log says why")
            }
        return CommandFailure(
            "the first genuine postback was answered \(words) by \(distrust.url), expected 200 with provenance test: "
                + "\(reason); nothing more was sent",
            hint: cure)
    }
}

/// Writes each transaction id that was answered 200 at once, for checking a server that was killed.
private struct AnswerLog {
    private let file: FileHandle

    init(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandFailure("cannot write \(path)", hint: "check that the folder exists and can be written")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes the status, transaction id and sequence index of a verified postback that was answered 200.
    func append(_ answer: TrafficSender.Answer) {
        guard answer.status == 200, let verdict = answer.verdict, verdict != "quarantined",
            let key = try? ReceivedPostback(reading: answer.delivery.body).key
        else {
            return
        }
        let index = key.sequenceIndex.map { String($0) } ?? ""
        file.write(Data("\(verdict) \(key.transactionID) \(index)\n".utf8))
    }
}
