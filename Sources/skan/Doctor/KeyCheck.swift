import Attribution
import AttributionListener
import AttributionSigning
import CodedErrors
import ExternalSigning
import Foundation

/// The files with keys.
enum KeyCheck {
    /// Looks at every key of a list.
    static func run(list: String) async -> [Finding] {
        do throws(KeyProblem) {
            let set = try NetworkKeySet(file: list)
            return set.entries.map { entry in
                let key = entry.publicKey
                let versions = "\(entry.versions.lowerBound.rawValue)-\(entry.versions.upperBound.rawValue)"
                return .ok(
                    "key \(entry.file)",
                    "\(entry.adNetworkID) \(versions), \(entry.useInWords), "
                        + "\(key.curve.displayName) SHA256:\(key.fingerprint)")
            } + (await findings(on: set.externalKeys))
        } catch {
            return [.problem("keys", error.message, cure: error.hint ?? "skan keys check --keys \(list)")]
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
