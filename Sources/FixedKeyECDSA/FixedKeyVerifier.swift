/// Verifies ECDSA signatures under public keys known in advance, several times faster than under arbitrary keys.
///
/// The verifier has tables of multiples of each key and of each curve's generator. They are immutable once
/// made, so any number of threads can share a verifier. Everything here is public data; the time
/// taken depends on it, so nothing here may be used for signing.
package struct FixedKeyVerifier: Sendable {
    /// The possible window widths, in bits.
    package static let windowWidths = 4...16

    /// Whether this machine can add points of P-256 eight at a time, in the lanes of AVX-512 IFMA.
    package static var hasLanes: Bool { LaneAddition.isAvailable }

    /// The handles of the keys, in the order given.
    package let keys: [FixedKey]

    private let p256: CurveEngine<P256>?
    private let p192: CurveEngine<P192>?
    private let usesLanes: Bool

    /// Makes the tables.
    ///
    /// A table takes about 2^(w − 1) · (bits / w − 1) · 64 bytes: 5 MB for P-256 and w = 13, 0.25 MB for w = 8. There
    /// is one for each key and one for each curve in use. Wider windows mean fewer additions, until the tables fill the
    /// caches.
    ///
    /// - Parameters:
    ///   - publicKeys: The keys, on either curve.
    ///   - windowWidth: The width w of a window in bits, one of `windowWidths`.
    ///   - usesLanes: Whether to verify on P-256 with the lanes of the machine, which must have them: three times as
    ///     fast.
    package init(publicKeys: [ECDSAPublicKey], windowWidth: Int = 13, usesLanes: Bool = hasLanes) {
        precondition(!usesLanes || Self.hasLanes, "This machine has no AVX-512 IFMA.")
        precondition(Self.windowWidths.contains(windowWidth), "Windows have 4 to 16 bits, not \(windowWidth).")
        var points256: [AffinePoint<P256Field>] = []
        var points192: [AffinePoint<P192Field>] = []
        keys = publicKeys.map { key in
            switch key.curve {
            case .p256:
                points256.append(key.point(on: P256.self))
                return FixedKey(curve: .p256, index: points256.count - 1)
            case .p192:
                points192.append(key.point(on: P192.self))
                return FixedKey(curve: .p192, index: points192.count - 1)
            }
        }
        p256 = points256.isEmpty ? nil : CurveEngine(keys: points256, windowWidth: windowWidth)
        p192 = points192.isEmpty ? nil : CurveEngine(keys: points192, windowWidth: windowWidth)
        self.usesLanes = usesLanes
    }

    /// The memory used by the tables, in bytes.
    package var tableByteCount: Int {
        (p256?.tableByteCount ?? 0) + (p192?.tableByteCount ?? 0)
    }

    /// Verifies a signature.
    ///
    /// - Returns: `valid` or `invalid`; `undecided` only as described in `Verdict`.
    package func verify(_ check: SignatureCheck) -> Verdict {
        guard check.signature.curve == check.key.curve else { return .invalid }
        switch check.key.curve {
        case .p256 where usesLanes: return verify([check])[0]
        case .p256: return p256?.verify(check) ?? .invalid
        case .p192: return p192?.verify(check) ?? .invalid
        }
    }

    /// Verifies many signatures at once.
    ///
    /// On P-256, a hundred or more take 0.6 of the time of as many one by one, and with lanes a third, where eight are
    /// enough for most of it.
    ///
    /// Keys and curves may be mixed. In addition to the verdicts and a word for each check, a call uses about half a
    /// megabyte of memory with windows of 13 bits, up to two with narrower ones; on P-256 with lanes less than a tenth
    /// of one.
    ///
    /// - Returns: The verdicts, in the order of `checks`.
    package func verify(_ checks: [SignatureCheck]) -> [Verdict] {
        var verdicts = [Verdict](repeating: .invalid, count: checks.count)
        checks.withUnsafeBufferPointer { checks in
            verdicts.withUnsafeMutableBufferPointer { verdicts in
                if usesLanes {
                    p256?.verifyInLanes(checks, into: verdicts)
                } else {
                    p256?.verify(checks, into: verdicts)
                }
                p192?.verify(checks, into: verdicts)
            }
        }
        return verdicts
    }
}

/// A handle to a key of a `FixedKeyVerifier`, valid only for that verifier.
package struct FixedKey: Hashable, Sendable, BitwiseCopyable {
    package let curve: ECDSACurve

    /// The index of the key among those on its curve.
    let index: Int
}

/// A signature to verify, with its digest and key.
package struct SignatureCheck: Sendable, BitwiseCopyable {
    /// The digest of the signed message.
    package let digest: MessageDigest

    /// The signature; one on another curve than the key's is invalid.
    package let signature: ECDSASignature

    /// The key's handle, from the verifier to use.
    package let key: FixedKey

    package init(digest: MessageDigest, signature: ECDSASignature, key: FixedKey) {
        self.digest = digest
        self.signature = signature
        self.key = key
    }
}

/// The result of a `SignatureCheck`.
package enum Verdict: Hashable, Sendable, BitwiseCopyable {
    /// The signature is valid.
    case valid

    /// The signature is invalid.
    case invalid

    /// The sum has two points with the same x, which the formulas do not cover; use another implementation.
    ///
    /// A sender can force this, which costs only a slower verification: see <doc:Verification>.
    case undecided
}
