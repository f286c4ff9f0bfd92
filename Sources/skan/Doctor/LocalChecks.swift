import Attribution
import AttributionHarness
import AttributionListener
import AttributionServer
import AttributionSigning
import CSystemClock
import Foundation
import Platform
import StrictJSON

/// One thing that was looked at, and what to do about it.
struct Finding {
    enum Level: String {
        case ok, warning, problem
    }

    let level: Level
    /// What was looked at, in one word or two.
    let subject: String
    let text: String
    /// What to do; nil when all is well.
    let cure: String?

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(level: .ok, subject: subject, text: text, cure: nil)
    }

    static func warning(_ subject: String, _ text: String, cure: String) -> Finding {
        Finding(level: .warning, subject: subject, text: text, cure: cure)
    }

    static func problem(_ subject: String, _ text: String, cure: String) -> Finding {
        Finding(level: .problem, subject: subject, text: text, cure: cure)
    }

    /// One line.
    var line: String {
        let word = level.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        return "\(word) \(subject): \(text)" + (cure.map { "; \($0)" } ?? "")
    }

    var json: JSONText {
        .object([
            ("level", .string(level.rawValue)), ("subject", .string(subject)), ("finding", .string(text)),
            ("cure", cure.map(JSONText.string) ?? .null),
        ])
    }
}

/// The clocks by which postbacks are dated: this machine's, and the one that a server's answer shows.
enum ClockCheck {
    private static let subject = "clock"
    private static let ntp = "postbacks are counted by when they are received"

    /// From how many seconds on clocks differ: an answer's `Date` has whole seconds, and is some old.
    private static let noticeable = 10
    private static let wrong = 300

    /// Asks the kernel whether something keeps the clock right; nil where that must not be asked, as in some containers.
    static func machine() -> Finding? {
        // Without modes nothing is changed, and no privilege is needed.
        var state = timex()
        let result = adjtimex(&state)
        guard result >= 0 else {
            return nil
        }
        guard result == TIME_ERROR || state.status & STA_UNSYNC != 0 else {
            return .ok(subject, "this machine's is synchronized")
        }
        return .warning(
            subject, "nothing keeps this machine's clock right: the kernel says it is not synchronized",
            cure: "run chrony or systemd-timesyncd, here or on the host: \(ntp)")
    }

    /// Compares the `Date` of an answer with this machine's clock.
    static func answer(_ date: Date, at now: Date) -> Finding {
        let seconds = Int(date.timeIntervalSince(now).rounded())
        guard abs(seconds) >= noticeable else {
            return .ok(subject, "the answer's Date agrees with this machine's clock")
        }
        let text =
            "the answer's Date is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this machine's clock"
        let cure = "set both right with NTP, the server's first: \(ntp)"
        return abs(seconds) < wrong ? .warning(subject, text, cure: cure) : .problem(subject, text, cure: cure)
    }
}

/// The files with keys.
enum KeyCheck {
    /// Looks at every key of a list.
    static func run(list: String) async -> [Finding] {
        do throws(KeyProblem) {
            let set = try NetworkKeySet(file: list)
            return set.entries.map { .ok("key \($0.file)", $0.summary) } + (await findings(on: set.externalKeys))
        } catch {
            return [.problem("keys", error.message, cure: error.hint ?? "skan keys check --keys \(list)")]
        }
    }

    /// Names Apple's keys, built in and added.
    static func run(appleKeys: AppleKeysOption) -> [Finding] {
        let cure = "see the README's section on keys"
        do {
            let added = try appleKeys.keys()
            return try PostbackVerifier(added: added?.records ?? []).appleKeys.map { key in
                .ok(key.isAdded ? "added key" : "built-in key", "\(key.name): \(key.summary)")
            } + (added?.warnings ?? []).map { .warning("Apple's keys", $0, cure: cure) }
        } catch {
            let failure = CommandFailure(explaining: error, help: "skan help doctor")
            return [.problem("Apple's keys", failure.message, cure: failure.hint ?? cure)]
        }
    }

    /// Has every external signer sign something with each of its keys.
    private static func findings(on keys: Set<ExternalKey>) async -> [Finding] {
        guard !keys.isEmpty else { return [] }
        return await ExternalSigners(connectedTo: keys).checked().map { key, verdict in
            let name = "signer unix:\(key.socket)"
            switch verdict {
            case .success: return .ok(name, "signs as \(key.id)")
            case .failure(.away(_, let reason)):
                return .problem(name, reason, cure: "start the signer, as the user that skan runs as")
            case .failure(let error): return .problem(name, error.message, cure: error.hint ?? "see the signer's log")
            }
        }
    }

    /// Looks at a certificate and its key.
    static func run(certificate: String, key: String) -> Finding {
        do throws(IngressError) {
            let now = Date()
            let identity = try TLSIdentity(certificateFile: certificate, keyFile: key, now: now)
            let end = identity.notValidAfter.formatted(.iso8601)
            if let fault = identity.chainFault {
                return .problem("certificate \(certificate)", fault.message, cure: fault.hint)
            }
            guard !identity.endsSoon(at: now) else {
                return .warning(
                    "certificate \(certificate)", "ends \(end)", cure: "renew it, and send the server SIGHUP")
            }
            return .ok("certificate \(certificate)", "goes with its key, ends \(end)")
        } catch {
            return .problem(
                "certificate \(certificate)", error.message, cure: error.hint ?? "skan serve --check says more")
        }
    }
}

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
