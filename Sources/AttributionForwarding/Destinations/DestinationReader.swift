import Attribution
import AttributionListener
import StrictJSON

/// Reads one destination of a file, and collects what is wrong with it.
struct DestinationReader {
    /// A secret that was written into the file is longer, and not shown.
    static let longestShown = 31

    private static let names = [
        "name", "preset", "url", "method", "headers", "body", "members", "null-fill", "filters", "rate", "concurrency",
        "order", "proxy", "allow", "secret-file",
    ]

    private let fields: DocumentFields
    private let folder: String

    init(_ fields: DocumentFields, folder: String) {
        self.fields = fields
        self.folder = folder
    }

    /// Refuses members of other names, and shows no more of them than these.
    static func allow(_ names: [String], _ fields: DocumentFields) throws(DocumentProblem) {
        guard let other = fields.members.first(where: { !names.contains($0.name) }) else { return }
        throw fields.problem(
            other.name.shortened(to: longestShown), found: "an unknown name",
            expected: names.count == 1 ? "only \"\(names[0])\"" : "one of the names \(names.joined(separator: ", "))",
            cure: names.nearest(to: other.name).map { "write \($0)" } ?? "remove it")
    }

    /// Its name, if it has a proper one; for messages.
    var name: String? { try? readName(besides: []) }

    /// Reads the destination; nil if it has a problem.
    func destination(besides others: [String], noting problems: inout DocumentProblems) -> Destination? {
        _ = problems.attempt(try Self.allow(Self.names, fields))
        let name = problems.attempt(try readName(besides: others))
        guard let preset = problems.attempt(try readPreset()) else { return nil }
        let contract = (preset ?? .generic).contract
        let url = problems.attempt(try readURL(contract))
        let body = problems.attempt(try readBody(preset, contract))
        let method: Destination.Method? =
            if let body { problems.attempt(try readMethod(body, preset)) } else { nil }
        let headers = problems.attempt(try readHeaders(contract))
        let members: [AddedMember]? =
            if let body { problems.attempt(try readMembers(body, preset, contract)) } else { nil }
        let fillsNull = problems.attempt(try fields.flag("null-fill", else: contract.fillsNull))
        let filters = problems.attempt(try readFilters(preset, contract))
        let rate = problems.attempt(try readRate())
        let isOrdered = problems.attempt(try fields.flag("order", else: false)) ?? false
        let concurrency = problems.attempt(try readConcurrency(isOrdered))
        let allow = problems.attempt(try readNetworks())
        let proxy = problems.attempt(try readProxy())
        let secret = problems.attempt(try readSecret(url, headers ?? [], body))
        guard problems.all.isEmpty, let name, let url, let body, let method, let headers, let members, let fillsNull,
            let filters, let rate, let concurrency, let allow, let proxy, let secret
        else {
            return nil
        }
        let destination = Destination(
            name: name, preset: preset, url: url, method: method, headers: headers, body: body, members: members,
            fillsNull: fillsNull, filters: filters, rate: rate, concurrency: concurrency, isOrdered: isOrdered,
            proxy: proxy, allow: allow, secret: secret)
        _ = problems.attempt(try checkReach(of: destination))
        _ = problems.attempt(try checkSignatures(of: destination))
        return problems.all.isEmpty ? destination : nil
    }

    // MARK: What it is

    private func readName(besides others: [String]) throws(DocumentProblem) -> String {
        let name = try fields.text("name", limit: 64)
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isName, !others.contains(name) else {
            throw fields.problem(
                "name", found: isName ? "\"\(name)\", the name of one before" : fields.summary("name"),
                expected: "1 to 64 of the characters a-z 0-9 . _ -, in one destination only",
                cure: "choose another name")
        }
        return name
    }

    private func readPreset() throws(DocumentProblem) -> DestinationPreset? {
        guard fields.has("preset") else { return nil }
        do throws(DocumentProblem) {
            return try fields.choice("preset") as DestinationPreset
        } catch {
            throw fields.problem(
                "preset", found: error.problem.found,
                expected: error.problem.expected
                    + "; there is none for AdAttributionKit, for which no measurement partner has published a contract",
                cure: error.cure)
        }
    }

    private func readURL(_ contract: DestinationPreset.Contract) throws(DocumentProblem) -> URLTemplate {
        guard let text = try fields.optionalText("url", limit: 2048) ?? contract.url else {
            throw fields.problem("url", found: "nothing", expected: contract.urlForm, cure: "add \"url\"")
        }
        return try URLTemplate(text, fields)
    }

    /// Refuses what a contract decides.
    private func leave(_ name: String, to preset: DestinationPreset?) throws(DocumentProblem) {
        guard let preset, preset != .generic, fields.has(name) else { return }
        throw fields.problem(
            name, found: fields.summary(name), expected: "no \(name), for the preset \(preset.rawValue) decides it",
            cure: "remove it, or choose the preset generic")
    }

    private func readBody(
        _ preset: DestinationPreset?, _ contract: DestinationPreset.Contract
    ) throws(DocumentProblem) -> Destination.BodyMode {
        try leave("body", to: preset)
        try leave("null-fill", to: preset)
        let body: Destination.BodyMode =
            preset != nil && !fields.has("body") ? contract.body : try fields.choice("body")
        guard body == .rawAndMembers || !fields.has("null-fill") else {
            throw fields.problem(
                "null-fill", found: fields.summary("null-fill"),
                expected: "none with the body mode \(body.rawValue), which cannot be filled", cure: "remove it")
        }
        return body
    }

    private func readMethod(
        _ body: Destination.BodyMode, _ preset: DestinationPreset?
    ) throws(DocumentProblem) -> Destination.Method {
        try leave("method", to: preset)
        guard fields.has("method") else {
            return body == .query ? .get : .post
        }
        let method: Destination.Method = try fields.choice("method")
        guard (method == .get) == (body == .query) || method == .post else {
            throw fields.problem(
                "method", found: "\"\(method.rawValue)\" with the body mode \(body.rawValue)",
                expected: body == .query ? "GET or POST" : "POST or PUT", cure: "write \"POST\"")
        }
        return method
    }

    private static let refusedHeaders: Set<String> = [
        "host", "connection", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect",
    ]

    private func readHeaders(
        _ contract: DestinationPreset.Contract
    ) throws(DocumentProblem) -> [Destination.Header] {
        guard fields.has("headers") else { return contract.headers }
        var headers = contract.headers
        let child = try fields.child("headers")
        for member in child.members {
            let name = member.name.lowercasedASCII
            let isToken =
                !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte)
                        || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            let isRefused =
                Self.refusedHeaders.contains(name)
                || ["content-", "proxy-", "webhook-"].contains { name.hasPrefix($0) }
            guard isToken, !isRefused, !headers.contains(where: { $0.name.lowercasedASCII == name }) else {
                throw child.problem(
                    member.name.shortened(to: Self.longestShown),
                    found: !isToken
                        ? "a name that no field has" : isRefused ? "a field that skan writes" : "a second one",
                    expected: "each field once, none of host, connection, transfer-encoding, te, trailer, upgrade, "
                        + "keep-alive, expect, content-*, proxy-*, webhook-*",
                    cure: "remove it")
            }
            // What is wrong with it is not shown, because it may be a secret.
            guard case .string(let value) = member.value, (1...1024).contains(value.utf8.count),
                value.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
            else {
                throw child.problem(
                    member.name.shortened(to: Self.longestShown), found: "a value that is not shown",
                    expected: "a string of 1 to 1024 characters of ASCII, perhaps with {secret}",
                    cure: "write such a value")
            }
            headers.append(Destination.Header(name: member.name, value: value))
        }
        return headers
    }

    private func readMembers(
        _ body: Destination.BodyMode, _ preset: DestinationPreset?, _ contract: DestinationPreset.Contract
    ) throws(DocumentProblem) -> [AddedMember] {
        var members: [AddedMember] = []
        for child in try fields.children("members") {
            let member = try AddedMember(child, body: body)
            guard !members.contains(where: { $0.name.lowercasedASCII == member.name.lowercasedASCII }) else {
                throw child.problem(
                    "name", found: "\"\(member.name)\" twice",
                    expected: "each name once, whatever the case of its letters",
                    cure: "remove one of them")
            }
            if let type = contract.documented[member.name] {
                guard member.type == type else {
                    throw child.problem(
                        child.has("value") ? "value" : "type", found: "a \(member.type.rawValue)",
                        expected: "a \(type.rawValue), as the preset \((preset ?? .generic).rawValue) has it",
                        cure: child.has("value") ? "write such a value" : "write \"type\": \"\(type.rawValue)\"")
                }
            } else if !contract.takesOthers {
                let names = contract.documented.keys.sorted()
                throw child.problem(
                    "name", found: "\"\(member.name)\"",
                    expected: names.isEmpty
                        ? "no members with this preset" : "one of \(names.joined(separator: ", "))",
                    cure: names.nearest(to: member.name).map { "write \"\($0)\"" } ?? "remove it")
            }
            members.append(member)
        }
        for name in contract.required where !members.contains(where: { $0.name == name }) {
            throw fields.problem(
                "members", found: "no \(name)", expected: "\(name), which the preset requires",
                cure: "add {\"name\": \"\(name)\", \"value\": \"…\"}")
        }
        return contract.added.filter { standard in !members.contains { $0.name == standard.name } } + members
    }

    private func readFilters(
        _ preset: DestinationPreset?, _ contract: DestinationPreset.Contract
    ) throws(DocumentProblem) -> DestinationFilters {
        var filters = fields.has("filters") ? try DestinationFilters(fields.child("filters")) : DestinationFilters()
        guard let preset, contract.isOfSKAdNetwork else { return filters }
        guard filters.framework != .adAttributionKit else {
            throw fields.problem(
                "filters.framework", found: "\"adattributionkit\" with the preset \(preset.rawValue)",
                expected: "\"skadnetwork\", for no measurement partner has published a contract for AdAttributionKit",
                cure: "send AdAttributionKit's to a destination with the preset relay or generic")
        }
        filters.framework = .skAdNetwork
        return filters
    }

    // MARK: How it is reached

    private func readRate() throws(DocumentProblem) -> Int? {
        fields.has("rate") ? try fields.integer("rate", in: 1...100_000) : nil
    }

    private func readConcurrency(_ isOrdered: Bool) throws(DocumentProblem) -> Int {
        let concurrency = try fields.integer("concurrency", in: 1...256, else: isOrdered ? 1 : 8)
        guard !isOrdered || concurrency == 1 else {
            throw fields.problem(
                "concurrency", found: "\(concurrency) with order", expected: "1, for requests in order go one by one",
                cure: "remove it")
        }
        return concurrency
    }

    private func readNetworks() throws(DocumentProblem) -> [InternetNetwork] {
        var networks: [InternetNetwork] = []
        for (index, text) in try fields.texts("allow").enumerated() {
            guard let network = try? InternetNetwork(text) else {
                throw fields.problem(
                    "allow[\(index)]", found: fields.summary(.string(text)),
                    expected: "an address, or a network such as 10.0.0.0/8", cure: "write one such as \"10.1.2.0/24\"")
            }
            networks.append(network)
        }
        return networks
    }

    private func readProxy() throws(DocumentProblem) -> ServerName? {
        guard let text = try fields.optionalText("proxy") else { return nil }
        var rest = text.dropFirst(0)
        if rest.hasPrefix("http://") { rest = rest.dropFirst(7) }
        if rest.last == "/" { rest = rest.dropLast() }
        guard text.hasPrefix("http://"), let server = ServerName(rest, standardPort: nil) else {
            throw fields.problem(
                "proxy", found: fields.summary("proxy"), expected: "http://, a host and a port",
                cure: "write one such as \"http://proxy.example:3128\"")
        }
        return server
    }

    private func readSecret(
        _ url: URLTemplate?, _ headers: [Destination.Header], _ body: Destination.BodyMode?
    ) throws(DocumentProblem) -> DestinationSecret? {
        let isToken = url?.namesSecret ?? false || headers.contains { $0.value.contains("{secret}") }
        guard let path = try fields.optionalText("secret-file", limit: 4096) else {
            guard !isToken else {
                throw fields.problem(
                    "secret-file", found: "nothing", expected: "the file of the token that the URL or a header has",
                    cure: "add \"secret-file\" with its path")
            }
            return nil
        }
        guard isToken || body != .query else {
            throw fields.problem(
                "secret-file", found: "a secret with the body mode query",
                expected: "none, for a signature covers the body, and there is none",
                cure: "remove it, or write {secret} into the URL")
        }
        return try DestinationSecret(fields, path: path.hasPrefix("/") ? path : folder + path, isToken: isToken)
    }

    // MARK: What must not be

    private func checkReach(of destination: Destination) throws(DocumentProblem) {
        let (url, server) = (destination.url, destination.url.server)
        if let address = server.address {
            guard destination.addressRule.permits(address, isMapped: server.isMapped) else {
                throw fields.problem(
                    "url", found: "\(url.isSecure ? "" : "http:// and ")the address \(server.host)",
                    expected: url.isSecure ? "a public address, or one that is allowed" : "an address that is allowed",
                    cure: "add \"allow\": [\"\(address)\"] if it is meant")
            }
            guard destination.proxy == nil || !url.isSecure || !server.isAddress else {
                throw fields.problem(
                    "url", found: "the address \(server.host) through a proxy",
                    expected: "a name, for a certificate is compared with that",
                    cure: "write the name, or remove the proxy")
            }
        } else if !url.isSecure, destination.allow.isEmpty || destination.proxy != nil {
            throw fields.problem(
                "url", found: "http://\(server.host)",
                expected: destination.proxy == nil
                    ? "https://, or \"allow\" with the networks that plain HTTP may go to"
                    : "https://, for a proxy decides where the name leads",
                cure: "write https://")
        }
    }

    private func checkSignatures(of destination: Destination) throws(DocumentProblem) {
        do throws(OutgoingProblem) {
            try destination.checkSamples()
        } catch {
            throw fields.problem(
                destination.body == .query ? "url" : "members",
                found: "a request that Apple's signature does not survive",
                expected: "one from which a postback can be read as it was received (\(error))",
                cure: "remove parameters and members with names of Apple's")
        }
    }
}
