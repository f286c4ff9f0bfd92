import Attribution
import StrictJSON

/// A postback that Apple signed once, changed so that nobody verifies it: it proves the way to a server without a key,
/// and never counts.
package struct ForgedDelivery: Sendable {
    /// The bytes to post.
    package let body: [UInt8]

    /// Makes one.
    ///
    /// - Throws: ``Attribution/PostbackRejection`` when no postback is built in.
    package init(id: String) throws {
        guard let sample = try AppleSignedPostback.all().first(where: { $0.name == "skan-4.0-web-fine" }) else {
            throw PostbackRejection.unknownVersion("4.0")
        }
        let genuine = try SKAdNetworkPostback(reading: sample.body)
        var draft = PostbackDraft(genuine)
        draft[.transactionID] = .string(id)
        body = draft.body(signature: genuine.attributionSignature)
    }
}
