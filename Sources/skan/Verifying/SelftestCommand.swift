import ArgumentParser
import Attribution
import AttributionHarness
import AttributionSigning
import Foundation

struct SelftestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest",
        abstract: "Verify built-in Apple-signed postbacks on this machine, and refuse tampered ones.",
        discussion: "Apple published no signed example of 1.0; the one of 2.0 covers its key and curve.")

    @Option(
        help: "Also write the genuine ones to this folder, one JSON file each, for posting to a server.",
        completion: .directory)
    var write: String?

    func run() throws {
        if let write {
            try FileManager.default.createDirectory(atPath: write, withIntermediateDirectories: true)
            for sample in try AppleSignedPostback.all() where sample.isGenuine {
                let body = Data(sample.body + [UInt8(ascii: "\n")])
                try body.write(to: URL(fileURLWithPath: "\(write)/\(sample.name).json"))
            }
        }
        let verifier = try PostbackVerifier()
        var failures = 0
        for sample in try AppleSignedPostback.all() {
            let judgement = verifier.judge(sample.body)
            var isRight = isVerified(judgement) == sample.isGenuine
            var refused = 0
            if case .verified(let verified) = judgement {
                for tampering in Tampering.changes(of: verified.postback) {
                    if tampering.isDetected(by: verifier.judge(tampering.body)) {
                        refused += 1
                    } else {
                        isRight = false
                        Terminal.write("FAILED \(sample.name): does not detect \(tampering)\n")
                    }
                }
            }
            failures += isRight ? 0 : 1
            let outcome = sample.isGenuine ? "verifies, \(refused) tampered copies refused" : "refused"
            Terminal.write(isRight ? "ok     \(sample.name): \(outcome)\n" : "FAILED \(sample.name): \(sample.why)\n")
        }
        guard failures == 0 else {
            Terminal.say("skan: error: \(failures) samples got the wrong verdict; do not use this build")
            throw ExitStatus.negative
        }
    }

    private func isVerified(_ judgement: Judgement) -> Bool {
        if case .verified = judgement { true } else { false }
    }
}
