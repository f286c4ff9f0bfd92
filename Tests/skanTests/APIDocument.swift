import AttributionConsole
import Foundation
import Yams

/// The description of the interfaces, read as far as the tests hold it against the code.
struct APIDocument {
    /// One method of a path.
    struct Operation {
        let method: String
        let path: String
        /// The listener.
        let tags: [String]
        /// The scope a token must have; nil where none is needed.
        let scope: String?
        /// By name, in the order of the document.
        let requests: [(name: String, request: Request)]
        let responses: [Int: Response]
    }

    /// An example of a request.
    struct Request {
        var query: [(name: String, value: String)] = []
        /// The values of the elements of the path in braces.
        var elements: [(name: String, value: String)] = []
        var body: Any?
        var mediaType = "application/json"
    }

    /// What is answered with one status.
    struct Response {
        let examples: [String: Any]
        /// Every code under `reason`.
        let reasons: Set<String>
        /// The names of its header fields.
        let headers: Set<String>
    }

    let root: Node

    init() throws {
        guard let root = try Yams.compose(yaml: String(decoding: APIDescription.yaml, as: UTF8.self)) else {
            throw Malformed(location: "the document")
        }
        self.root = root
    }

    struct Malformed: Error {
        let location: String
    }

    /// The node that the keys lead to, references followed.
    func node(_ keys: String..., in start: Node? = nil) throws -> Node {
        var node = start ?? root
        for key in keys {
            guard let next = resolved(node)[key] else {
                throw Malformed(location: keys.joined(separator: "/"))
            }
            node = next
        }
        return resolved(node)
    }

    /// The texts of an enumeration among the schemas.
    func values(of schema: String, _ more: String...) throws -> Set<String> {
        var node = try node("components", "schemas", schema)
        for key in more {
            node = try self.node(key, in: node)
        }
        return codes(node)
    }

    func operations() throws -> [Operation] {
        try members(node("paths")).flatMap { path, item in
            try members(item).filter { $0.key != "servers" }.map { method, operation in
                let responses = try members(node("responses", in: operation)).map { status, response in
                    (Int(status) ?? 0, try self.response(resolved(response)))
                }
                return Operation(
                    method: method.uppercased(), path: path,
                    tags: try texts(node("tags", in: operation)),
                    scope: try scope(node("security", in: operation)),
                    requests: try requests(operation),
                    responses: Dictionary(uniqueKeysWithValues: responses))
            }
        }
    }

    // MARK: Parts

    private func resolved(_ node: Node) -> Node {
        guard let reference = node["$ref"]?.string, node.mapping?.count == 1 else {
            return node
        }
        return target(of: reference) ?? node
    }

    private func target(of reference: String) -> Node? {
        reference.split(separator: "/").dropFirst().reduce(root) { node, key in node?[String(key)] }
    }

    private func members(_ node: Node) throws -> [(key: String, value: Node)] {
        guard let mapping = node.mapping else {
            throw Malformed(location: "a mapping at \(node.mark.map { "\($0)" } ?? "?")")
        }
        return mapping.map { ($0.key.string ?? "", $0.value) }
    }

    func texts(_ node: Node) -> [String] {
        node.sequence.map { $0.compactMap(\.string) } ?? []
    }

    private func scope(_ security: Node) throws -> String? {
        guard let requirement = security.sequence?.first else {
            return nil
        }
        return try texts(node("bearer", in: requirement)).joined(separator: " ")
    }

    private func requests(_ operation: Node) throws -> [(name: String, request: Request)] {
        var requests: [(name: String, request: Request)] = []
        func change(_ name: String, _ change: (inout Request) -> Void) {
            if !requests.contains(where: { $0.name == name }) {
                requests.append((name, Request()))
            }
            for index in requests.indices where requests[index].name == name {
                change(&requests[index].request)
            }
        }
        for parameter in operation["parameters"]?.sequence.map(Array.init) ?? [] {
            let field = try node("name", in: parameter).string ?? ""
            let isJoined = parameter["explode"]?.bool == false
            for (name, example) in try parameter["examples"].map(members) ?? [] {
                let value = try node("value", in: example)
                let list = texts(value)
                let values =
                    value.sequence == nil ? [value.string ?? ""] : isJoined ? [list.joined(separator: ",")] : list
                if parameter["in"]?.string == "path" {
                    change(name) { $0.elements += values.map { (field, $0) } }
                } else {
                    change(name) { $0.query += values.map { (field, $0) } }
                }
            }
        }
        if operation["requestBody"] != nil {
            for (mediaType, content) in try members(node("requestBody", "content", in: operation)) {
                for (name, example) in try members(node("examples", in: content)) {
                    let value = try node("value", in: example).any
                    change(name) { ($0.body, $0.mediaType) = (value, mediaType) }
                }
            }
        } else if requests.isEmpty {
            // What needs nothing is asked for as it is.
            for (_, response) in try members(node("responses", in: operation)) {
                try self.response(resolved(response)).examples.keys.forEach { change($0) { _ in } }
            }
        }
        return requests
    }

    private func response(_ response: Node) throws -> Response {
        var examples: [String: Any] = [:]
        var reasons: Set<String> = []
        for (_, content) in try response["content"].map(members) ?? [] {
            for (name, example) in try content["examples"].map(members) ?? [] {
                examples[name] = try node("value", in: example).any
            }
            reasons.formUnion(self.reasons(try node("schema", in: content)))
        }
        return Response(
            examples: examples, reasons: reasons,
            headers: Set(try response["headers"].map(members)?.map(\.0) ?? []))
    }

    /// The codes that a schema allows under `reason`, in all its alternatives.
    private func reasons(_ schema: Node) -> Set<String> {
        var found = (schema["properties"]?["reason"]).map(codes) ?? []
        for alternative in ["oneOf", "anyOf"].flatMap({ schema[$0]?.sequence.map(Array.init) ?? [] }) {
            found.formUnion(reasons(alternative))
        }
        if let target = schema["$ref"]?.string.flatMap(target) {
            found.formUnion(reasons(target))
        }
        return found
    }

    /// The texts that a schema of one value allows.
    private func codes(_ schema: Node) -> Set<String> {
        var found = Set(schema["enum"].map(texts) ?? [])
        if let constant = schema["const"]?.string {
            found.insert(constant)
        }
        for alternative in schema["anyOf"]?.sequence.map(Array.init) ?? [] {
            found.formUnion(codes(alternative))
        }
        if let target = schema["$ref"]?.string.flatMap(target) {
            found.formUnion(codes(target))
        }
        return found
    }
}
