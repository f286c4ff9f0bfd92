import AttributionHarness
import Foundation

extension SimulateCommand {
    /// The server to post to; nil when nothing is posted.
    ///
    /// - Throws: ``CommandFailure`` for what is no URL, also if it is that of the console.
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

    /// Does what sends, and puts into words why a server was sent nothing more, with the cure.
    func distrusted<Result>(_ send: () async throws -> Result) async throws -> Result {
        do {
            return try await send()
        } catch let distrust as TrafficSender.Distrust {
            throw failure(distrust)
        }
    }

    private func failure(_ distrust: TrafficSender.Distrust) -> CommandFailure {
        let answer = distrust.answer
        guard let status = answer.status else {
            return CommandFailure(
                "no answer from \(distrust.url): \(answer.failure ?? "the connection failed")",
                hint: "skan serve --store skan.sqlite \(trust)")
        }
        let words = BodyText.printable(
            Array("\(status)".utf8) + [answer.verdict, answer.provenance].compactMap(\.self).flatMap { " \($0)".utf8 })
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
