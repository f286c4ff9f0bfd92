import AttributionSigning
import StrictJSON

/// A line of the protocol between skan and an external signer, NDJSON in both directions.
enum SignerLine {
    /// The maximum length of an answer, in bytes.
    static let limit = 4_096

    /// What a line answers.
    struct Answer: Equatable {
        /// The number of the request.
        let id: Int64
        /// The signature in DER, or the signer's word for why there is none.
        let signature: Result<[UInt8], Reason>
    }

    /// The signer's word for why it does not sign.
    struct Reason: Error, Equatable {
        let word: String

        private static let characters = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)

        /// Takes a word of up to 64 lower-case letters, digits and hyphens; it is shown to clients.
        init(_ word: String) {
            let isWord = (1...64).contains(word.utf8.count) && word.utf8.allSatisfy(Self.characters.contains)
            self.word = isWord ? word : "no-reason"
        }
    }

    static func request(_ request: SignatureRequest, id: Int64) -> [UInt8] {
        JSONText.object([
            "id": .integer(id), "key": .string(request.key.id), "digest": .string(Base64.encode(request.digest)),
        ]).lineBytes
    }

    /// Reads an answer; nil for anything else, after which nothing more can be trusted.
    static func answer(_ line: some Collection<UInt8>) -> Answer? {
        guard let object = try? JSONObject(reading: line, limit: limit), case .integer(let id)? = object["id"] else {
            return nil
        }
        switch (object["signature"], object["error"]) {
        case (.string(let base64)?, nil):
            return Base64.decode(base64).map { Answer(id: id, signature: .success($0)) }
        case (nil, .string(let word)?):
            return Answer(id: id, signature: .failure(Reason(word)))
        default:
            return nil
        }
    }
}
