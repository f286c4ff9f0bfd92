/// A signature the server made, with the text it must be of, put together here.
struct MadeSignature {
    /// What makes it unlike any other.
    let nonce: String
    let text: [UInt8]
    /// In DER.
    let signature: [UInt8]

    /// A signature of SKAdNetwork 4.0, given the values of the request and those of the answer.
    init(
        item: Int, sourceApp: Int, sourceIdentifier: Int, fidelity: Int, nonce: String, timestamp: Int,
        signature: [UInt8]
    ) {
        self.nonce = nonce
        self.signature = signature
        text = Array(
            [
                "4.0", PostbackShape.network, "\(sourceIdentifier)", "\(item)", nonce, "\(sourceApp)", "\(fidelity)",
                "\(timestamp)",
            ].joined(separator: "\u{2063}").utf8)
    }

    /// The signature of a JWS.
    init(nonce: String, signing text: Substring, signature: [UInt8]) {
        self.nonce = nonce
        self.text = Array(text.utf8)
        self.signature = signature
    }
}
