import Foundation
import TestSupport

/// A whole bid request as an exchange could send it, and what has to be signed for it: derived from how it was made,
/// without any code of the product.
struct GeneratedBid {
    /// What is expected of an extension of an imp.
    enum Expected {
        /// The version, the network's spelling, campaign or source identifier, and the fidelities; nil before 2.2.
        case skadn(version: String, network: String, number: Int64, fidelities: [Int]?)
        case adAttributionKit(network: String, sourceIdentifier: Int64, isEligible: Bool)
        case refused(String)
    }

    private(set) var imps: [(id: String, expected: [String: Expected])] = []
    let body: String
    let item: Int64
    let sourceApp: Int64

    private static let versions = ["2.0", "2.1", "2.2", "3.0", "4.0"]
    private static let network = "example123.skadnetwork"

    /// Makes a request.
    init(using random: inout SeededGenerator) {
        item = Self.pick([1, Int64.max, Int64.random(in: 1...20_000_000_000, using: &random)], &random)
        sourceApp = Self.pick([0, 1, Int64.max, Int64.random(in: 1...20_000_000_000, using: &random)], &random)
        let campaign = Self.pick([1, 100, Int64.random(in: 1...100, using: &random)], &random)
        let source = Self.pick([0, 9_999, Int64.random(in: 0...9_999, using: &random)], &random)
        let fidelities = Self.pick([nil, [0], [1], [0, 1], [1, 0]] as [[Int]?], &random)
        let isEligible = Bool.random(using: &random)
        var texts: [String] = []
        for number in 1...Self.pick([1, 1, 1, 2, 2, 3, 4], &random) {
            var expected: [String: Expected] = [:]
            var ext: [String] = []
            let kinds = Self.pick([["skadn"], ["adattributionkit"], ["skadn", "adattributionkit"]], &random)
            if kinds.contains("skadn") {
                let (text, result) = Self.skadn(sourceApp, campaign, source, fidelities, &random)
                ext.append(text)
                expected["skadn"] = result
            }
            if kinds.contains("adattributionkit") {
                let (text, result) = Self.adAttributionKit(sourceApp, source, isEligible, &random)
                ext.append(text)
                expected["adattributionkit"] = result
            }
            texts.append(
                """
                {"id": "\(number)", "bidfloor": 0.35, "banner": {"w": 320, "h": 50}, "ext": {\(ext.joined(separator: ", "))}}
                """)
            imps.append(("\(number)", expected))
        }
        var advertise = [
            #""itunesitem": \#(Self.number(item, &random))"#, #""campaign": \#(Self.number(campaign, &random))"#,
            #""sourceidentifier": \#(Self.number(source, &random))"#,
        ]
        if let fidelities { advertise.append(#""fidelities": \#(fidelities)"#) }
        if isEligible { advertise.append(#""adattributionkit": {"eligible-for-re-engagement": true}"#) }
        body = """
            {"id": "\(random.next())", "at": 1, "tmax": 120, "imp": [\(texts.joined(separator: ", "))], \
            "advertise": {\(advertise.joined(separator: ", "))}}
            """
    }

    private static func skadn(
        _ sourceApp: Int64, _ campaign: Int64, _ source: Int64, _ fidelities: [Int]?, _ random: inout SeededGenerator
    ) -> (String, Expected) {
        // Signatures of 2.0 are on P-192, thirty times as slow to verify: seldom the newest.
        let newest = pick([0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4], &random)
        let oldest = Int.random(in: 0...newest, using: &random)
        let isUnknown = Int.random(in: 0..<20, using: &random) == 0
        let offered = isUnknown ? ["9.9"] : Array(versions[oldest...newest]).shuffled(using: &random)
        let spelling = pick([network, network, network.uppercased()], &random)
        let list = offered.map { "\"\($0)\"" }.joined(separator: ", ")
        let text = """
            "skadn": {"version": "2.0", "versions": [\(list)], "sourceapp": \(number(sourceApp, &random)), \
            "skadnetids": ["cdkw7geqsh.skadnetwork", "\(spelling)"]}
            """
        // Before 2.2 every ad is StoreKit-rendered.
        let usable = (oldest...newest).filter { $0 >= 2 || fidelities?.contains(1) ?? true }
        guard !isUnknown, let best = usable.max() else { return (text, .refused("no-common-version")) }
        return (
            text,
            .skadn(
                version: versions[best], network: spelling, number: best == 4 ? source : campaign,
                fidelities: best >= 2 ? fidelities ?? [0, 1] : nil)
        )
    }

    private static func adAttributionKit(
        _ sourceApp: Int64, _ source: Int64, _ isEligible: Bool, _ random: inout SeededGenerator
    ) -> (String, Expected) {
        let version = pick([#""1.0""#, #"["1.0"]"#], &random)
        let isListed = Int.random(in: 0..<20, using: &random) != 0
        let ids = isListed ? #""m2jqnlggk3.adattributionkit", "\#(network)""# : #""m2jqnlggk3.adattributionkit""#
        let text = """
            "adattributionkit": {"version": \(version), "sourceapp": \(number(sourceApp, &random)), "skadnetids": [\(ids)]}
            """
        return (
            text,
            isListed
                ? .adAttributionKit(network: network, sourceIdentifier: source, isEligible: isEligible)
                : .refused("no-common-network")
        )
    }

    private static func pick<Value>(_ values: [Value], _ random: inout SeededGenerator) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    /// A number or a string of digits, as exchanges send either.
    private static func number(_ value: Int64, _ random: inout SeededGenerator) -> String {
        Bool.random(using: &random) ? "\(value)" : "\"\(value)\""
    }
}
