/// A signature for both implementations to verify.
struct SignatureCase {
    /// How it was made.
    let kind: String
    let key: Int
    let digest: [UInt8]
    let der: [UInt8]
    /// r and s, if the DER is valid.
    var numbers: (r: Number, s: Number)?
}
