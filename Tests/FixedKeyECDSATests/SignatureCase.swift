/// A signature to be judged by both implementations.
struct SignatureCase {
    /// How it was made.
    let kind: String
    let key: Int
    let digest: [UInt8]
    let der: [UInt8]
    /// r and s, if the DER is sound.
    var numbers: (r: Number, s: Number)?
}
