/// A postback as a device sends it, with what a verifier is asked about it.
struct SignedPostback {
    /// The text that is signed, in UTF-8.
    let text: [UInt8]
    /// In DER.
    let signature: [UInt8]
    /// The JSON object.
    let body: [UInt8]
}
