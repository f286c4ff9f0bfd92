import AttributionConsole
import AttributionHarness
import AttributionListener
import AttributionServer
import Foundation
import StrictJSON
import Testing

@Suite("The examples of the interfaces' description, put to a server", .timeLimit(.minutes(5)))
struct APIExampleTests: FolderSuite {
    let document: APIDocument
    let folder: WorkFolder

    init() throws {
        document = try APIDocument()
        folder = try WorkFolder()
        try folder.makeSigningKeys()
    }

    static let paths =
        PublicRoute.allCases.map(\.path) + SigningRoute.allCases.map(\.path)
        + ConsoleRoute.allCases.filter { !$0.isPage }.map(\.definition.path)

    @Test("Every example is answered as the example of its name says", arguments: paths)
    func examples(_ path: String) throws {
        let operation = try #require(document.operations().first { $0.path == path })
        let answers = operation.responses.flatMap { status, response in
            response.examples.map { (name: $0.key, status: status, body: $0.value) }
        }
        #expect(answers.map(\.name).sorted() == operation.requests.map(\.name).sorted())
        let server = try SkanServer(in: folder, arguments: SkanServer.signing)
        for (name, request) in operation.requests {
            let expected = try #require(answers.first { $0.name == name }, "\(name)")
            var request = request
            if path == PublicRoute.webAdPayload.path, name == "signed" {
                try issueAd(for: &request, on: server)
            }
            let answer = try send(request, operation, to: server)
            #expect(answer.status == expected.status, "\(name): \(answer.body)")
            if let text = expected.body as? String {
                if request.mediaType == "application/x-ndjson" {
                    let difference = try Self.difference(Self.objects(text), Self.objects(answer.body), at: name)
                    #expect(difference == nil, "\(difference ?? ""): \(answer.body)")
                } else {
                    #expect(answer.body == text)
                }
            } else {
                let body = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
                let difference = Self.difference(expected.body, body, at: name)
                #expect(difference == nil, "\(difference ?? ""): \(answer.body)")
            }
        }
    }

    @Test("What the server gives out is the document")
    func served() throws {
        let server = try SkanServer(in: folder, arguments: [])
        let answer = try run(
            SkanProcess.curl, ["-s", "-i", "--max-time", "60", "\(server.console)/openapi.yaml"]
        ).output
        #expect(answer.contains("Content-Type: application/yaml\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n" + String(decoding: APIDescription.yaml, as: UTF8.self)))
    }

    @Test("A postback in an example that is recorded is one that Apple signed")
    func genuine() throws {
        let signed = try AppleSignedPostback.all().filter(\.isGenuine).map {
            try #require(JSONSerialization.jsonObject(with: Data($0.body)) as? NSDictionary)
        }
        let operation = try #require(document.operations().first)
        let recorded = operation.responses[200]?.examples.filter { example in
            (example.value as? [String: Any])?["status"] as? String == "recorded"
        }
        for (name, request) in operation.requests where recorded?[name] != nil {
            #expect(signed.contains(try #require(request.body as? NSDictionary)), "\(name)")
        }
        #expect(recorded?.count == 5)
    }

    // MARK: Steps

    /// Gives the example the nonce of an ad that this server has issued.
    private func issueAd(for request: inout APIDocument.Request, on server: SkanServer) throws {
        let issuing = try #require(document.operations().first { $0.path == ConsoleRoute.webAds.definition.path })
        let order = try #require(issuing.requests.first { $0.name == "issued" }?.request)
        let link = try JSONSerialization.jsonObject(with: Data(send(order, issuing, to: server).body.utf8))
        var body = try #require(request.body as? [String: Any])
        body["source_nonce"] = (link as? [String: Any])?["attributionSourceNonce"]
        request.body = body
    }

    private func send(
        _ request: APIDocument.Request, _ operation: APIDocument.Operation, to server: SkanServer
    ) throws -> (status: Int, body: String) {
        let base =
            switch operation.tags {
            case ["public"]: "http://127.0.0.1:\(server.port)"
            case ["signing"]: server.signer
            default: server.console
            }
        let path = request.elements.reduce(operation.path) { path, element in
            path.replacing("{\(element.name)}", with: element.value)
        }
        var url = try #require(URLComponents(string: base + path))
        if !request.query.isEmpty {
            url.queryItems = request.query.map { URLQueryItem(name: $0.name, value: $0.value) }
        }
        var arguments = [
            "-s", "--max-time", "60", "-X", operation.method, "-w", "\n%{http_code}", try #require(url.string),
        ]
        if let body = request.body {
            let file = folder.url.appendingPathComponent("body")
            let bytes =
                try (body as? String).map { Data($0.utf8) } ?? JSONSerialization.data(withJSONObject: body)
            try bytes.write(to: file)
            arguments += ["-H", "Content-Type: \(request.mediaType)", "--data-binary", "@body"]
        }
        let output = try run(SkanProcess.curl, arguments).output
        let end = try #require(output.lastIndex(of: "\n"))
        return (Int(output[output.index(after: end)...]) ?? 0, String(output[..<end]))
    }

    /// The objects of NDJSON.
    private static func objects(_ text: String) throws -> [Any] {
        try text.split(separator: "\n").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
    }

    /// What every answer to the same request must have alike; signatures, nonces and times differ.
    private static let constant: Set = [
        "status", "reason", "provenance", "form", "version", "extension", "lossreason", "schema", "fidelity", "line",
        "impid",
    ]

    /// The first path at which two JSON values differ in their names, kinds or constants.
    private static func difference(_ example: Any, _ answer: Any, at path: String) -> String? {
        switch (example, answer) {
        case (let example as [String: Any], let answer as [String: Any]):
            guard example.keys.sorted() == answer.keys.sorted() else {
                return "\(path): \(answer.keys.sorted())"
            }
            return example.lazy.compactMap { name, value in
                guard let other = answer[name] else {
                    return name
                }
                if constant.contains(name), "\(value)" != "\(other)" {
                    return "\(path).\(name): \(other)"
                }
                return difference(value, other, at: "\(path).\(name)")
            }.first
        case (let example as [Any], let answer as [Any]):
            guard example.count == answer.count else {
                return "\(path): \(answer.count) elements"
            }
            return zip(example, answer).lazy.compactMap { difference($0, $1, at: "\(path)[]") }.first
        case (is String, is String), (is NSNull, is NSNull), (is Bool, is Bool), (is Double, is NSNumber),
            (is Int, is NSNumber):
            return nil
        default:
            return "\(path): \(answer)"
        }
    }
}
