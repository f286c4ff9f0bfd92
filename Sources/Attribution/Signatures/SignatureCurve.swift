/// An elliptic curve that SKAdNetwork signs with, always with SHA-256.
package enum SignatureCurve: String, CaseIterable, Hashable, Sendable {
    /// NIST P-192, also called prime192v1 and secp192r1: postbacks of 1.0 and 2.0, network keys registered until 2020.
    case p192
    /// NIST P-256, also called prime256v1 and secp256r1: everything later.
    case p256

    /// The name in messages.
    package var displayName: String {
        switch self {
        case .p192: "P-192"
        case .p256: "P-256"
        }
    }
}
