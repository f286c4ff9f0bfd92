/// Makes requests of one kind to the signing API, and finds the signatures in their answers.
protocol SigningRequestMaker: RequestMaker, SendableMetatype {
    static var path: String { get }
    /// How many signatures the answer to each holds.
    static var signatureCount: Int { get }

    init()

    /// The signatures of an answer, each over the text that the request calls for.
    static func signatures(in answer: [UInt8], to request: [UInt8]) throws -> [MadeSignature]
}
