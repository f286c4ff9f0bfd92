import Attribution
import AttributionHarness
import AttributionSigning

/// The machine itself: whether it verifies what Apple signed, and whether its clock is kept right.
enum MachineCheck {
    static func run() -> [Finding] {
        [verification(), ClockCheck.machine()].compactMap(\.self)
    }

    private static func verification() -> Finding {
        do {
            let verifier = try PostbackVerifier()
            let samples = try AppleSignedPostback.all()
            let wrong = samples.filter { sample in
                if case .verified(_) = verifier.judge(sample.body) { !sample.isGenuine } else { sample.isGenuine }
            }
            guard wrong.isEmpty else {
                return .problem(
                    "verification", "wrong on \(wrong.map(\.name).joined(separator: ", "))",
                    cure: "skan selftest says more; OpenSSL may lack P-192")
            }
            return .ok("verification", "\(samples.count) postbacks that Apple published are judged correctly")
        } catch {
            let failure = CommandFailure(explaining: error, help: "skan help doctor")
            return .problem("verification", failure.message, cure: "skan selftest says more")
        }
    }
}
