/// A digest and a signature over it, made without the private key, to compare two implementations.
struct SampleSignature {
    let digest: [UInt8]
    let signature: [UInt8]
    let isValid: Bool
}
