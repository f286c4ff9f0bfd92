import AttributionConsole
import Testing
import Yams

@Suite("What the ingress refuses, as the description of the interfaces has it")
struct DescribedRefusalTests {
    private static let refused = RefusedRequest.unserved + RefusedRequest.oversized + RefusedRequest.unsound

    /// Status and reason of every refusal that the first path of the public listener can answer, and of a wrong path.
    private static func described() throws -> Set<String> {
        let root = try #require(try Yams.compose(yaml: String(decoding: APIDescription.yaml, as: UTF8.self)))
        func target(_ node: Node?) -> Node? {
            guard let reference = node?["$ref"]?.string else { return node }
            return reference.split(separator: "/").dropFirst().reduce(root) { $0?[String($1)] }
        }
        func codes(_ node: Node) -> [String] {
            let alternatives = node["anyOf"]?.sequence.map(Array.init) ?? []
            return [node["const"]?.string].compactMap(\.self) + (node["enum"]?.array() ?? [])
                + alternatives.flatMap { target($0).map(codes) ?? [] }
        }
        let responses = try #require(root["paths"]?["/skadnetwork/postbacks"]?["post"]?["responses"]?.mapping)
        var described: Set<String> = []
        for (status, response) in responses {
            let schema = target(response)?["content"]?["application/json"]?["schema"]
            let reasons = (schema?["properties"]?["reason"]).map(codes) ?? []
            described.formUnion(reasons.map { "\(status.string ?? "") \($0)" })
        }
        let noPath = root["components"]?["responses"]?["NoSuchPath"]?["content"]?["application/json"]?["schema"]
        return described.union((noPath?["properties"]?["reason"]).map(codes)?.map { "404 \($0)" } ?? [])
    }

    @Test("Every refusal is described, and none that cannot come")
    func refusals() throws {
        let named = Set(Self.refused.filter { !$0.reason.isEmpty }.map { "\($0.status) \($0.reason)" })
        // Tests of their own have what a table of requests cannot: time that passes, ends, and a store.
        let others: Set = [
            "408 deadline-passed", "400 incomplete-request", "400 not-json", "503 overloaded", "503 store-failed",
            "503 quarantine-full", "503 undecided", "503 unanswered",
        ]
        #expect(try Self.described() == named.union(others))
    }
}
