import ArgumentParser
import Attribution
import AttributionExplaining
import AttributionIngest
import AttributionSigning
import StrictJSON

struct CheckImpressionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-impression",
        abstract: "Check that impressions are signed as Apple requires, and say why if they are not.",
        discussion: """
            An impression is a JSON object with its signature: the fields of skan sign under Apple's names, the \
            parameters of loadProduct under the names of StoreKit's constants or their values, the properties of \
            SKAdImpression, the answer to a web ad's tap, or bid.ext.skadn of OpenRTB; or a compact JWS of \
            AdAttributionKit. They are found inside a whole bid response and every answer of skan, too; and, one in a \
            file, in Swift code. Other files may hold several.

            A cause is named only if the signature verifies once it is undone. Exits with status 0 if all are valid, 1 \
            if some are not, 2 if it could not decide.

              skan sign --network example123.skadnetwork … | skan check-impression --public-key key.public.pem
            """
    )

    @Option(
        name: .customLong("public-key"), parsing: .singleValue,
        help: ArgumentHelp(
            "The key registered with Apple, public or private. Repeat it for keys that may have signed by mistake.",
            valueName: "file"),
        completion: .file())
    var publicKeys: [String] = []

    @Option(
        name: .customLong("signed-text"),
        help: ArgumentHelp(
            "The text that your signer built, in a file: compared with the one that Apple builds.", valueName: "file"),
        completion: .file())
    var signedText: String?

    @Option(help: "text, or json: one object per line.")
    var format: VerifyCommand.Format = .text

    @Argument(help: "A file; - or none for standard input.", completion: .file())
    var file: String = "-"

    func run() throws {
        let keys = try publicKeys.map { try SignaturePublicKey(file: $0) }
        guard let key = keys.first else {
            throw CommandFailure("--public-key is missing", hint: "name the key that is registered with Apple")
        }
        let explainer = ImpressionExplainer(key: key, otherKeys: Array(keys.dropFirst()))
        let text = try signedText.map { try Self.bytes(of: $0) }
        let records = try RecordFile(file, entersArrays: true)
        _ = try records.peculiarity()
        var words: Set<VerdictWord> = []
        var number = 0
        while let batch = try records.next() {
            for record in batch {
                number += 1
                for (path, explanation) in explainer.explainAll(record.bytes, signedText: text) {
                    words.insert(explanation.verdict)
                    Terminal.write(line(explanation, number, path))
                }
            }
        }
        guard number > 0 else {
            throw CommandFailure("no impression in \(file == "-" ? "standard input" : file)")
        }
        if words.contains(.undecided) {
            throw ExitStatus.undecided
        }
        guard words == [.valid] else {
            throw ExitStatus.negative
        }
    }

    private func line(_ explanation: Explanation, _ number: Int, _ path: String) -> String {
        if format == .json {
            let members: [(String, JSONText)] = [
                ("file", .string(file)), ("number", .integer(Int64(number))),
                ("verdict", .string(explanation.verdict.rawValue)),
            ]
            let place: [(String, JSONText)] = path.isEmpty ? [] : [("path", .string(path))]
            return JSONText.object(members + place + explanation.members).line + "\n"
        }
        let lines = explanation.lines.map { "    \($0.label): \($0.text)" }
        let place = path.isEmpty ? "" : " \(path.shortened(to: 200)):"
        return (["\(file):\(number):\(place) \(explanation.verdict.rawValue)"] + lines).joined(separator: "\n") + "\n"
    }

    /// The bytes of a small file, without the line break that an editor puts at its end.
    private static func bytes(of file: String) throws -> [UInt8] {
        let stream = try FileStream(file)
        var bytes: [UInt8] = []
        while let more = try stream.next() {
            bytes += more
            guard bytes.count <= ImpressionExplainer.limit else {
                throw CommandFailure("\(file) is larger than \(ImpressionExplainer.limit) bytes", code: .malformedFile)
            }
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
        }
        return bytes
    }
}
