import Attribution
import AttributionListener
import AttributionSigning
import CodedErrors
import Foundation

/// The files with keys.
enum KeyCheck {
    /// Looks at every key of a list.
    static func run(list: String) -> [Finding] {
        do throws(KeyProblem) {
            return try NetworkKeySet(file: list).entries.map { entry in
                let key = entry.publicKey
                let versions = "\(entry.versions.lowerBound.rawValue)-\(entry.versions.upperBound.rawValue)"
                return .ok(
                    "key \(entry.file)",
                    "\(entry.adNetworkID) \(versions), \(entry.isActive ? "active" : "verify-only"), "
                        + "\(key.curve.displayName) SHA256:\(key.fingerprint)")
            }
        } catch {
            return [.problem("keys", error.message, cure: error.hint ?? "skan keys check --keys \(list)")]
        }
    }

    /// Looks at a certificate and its key.
    static func run(certificate: String, key: String) -> Finding {
        do throws(IngressError) {
            let now = Date()
            let identity = try TLSIdentity(certificateFile: certificate, keyFile: key, now: now)
            let end = identity.notValidAfter.formatted(.iso8601)
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
