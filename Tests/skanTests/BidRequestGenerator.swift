import Attribution
import TestSupport

/// Makes bid requests as exchanges send them: lists of versions or a single one, ids in any case, ranges of the
/// registry with exclusions, numbers as strings, unknown fields, and requests that match nothing.
///
/// The expected answer is derived from how a request was built, not from reading it.
struct BidRequestGenerator: Sendable {
    /// The network that signs.
    struct Network: Sendable {
        let id: String
        let registryID: Int64
        let versions: [SKAdNetworkVersion]

        /// Makes a network.
        ///
        /// - Parameters:
        ///   - id: The id in lower case.
        ///   - registryID: Its number in the IAB Tech Lab's registry.
        ///   - versions: The versions it has keys for, 2.0 or later.
        init(id: String, registryID: Int64, versions: [SKAdNetworkVersion]) {
            self.id = id
            self.registryID = registryID
            self.versions = versions
        }
    }

    private let network: Network
    private var random: SeededGenerator
    private var count = 0

    /// Makes a generator; equal seeds give equal requests.
    init(network: Network, seed: UInt64) {
        self.network = network
        random = SeededGenerator(seed: seed)
    }

    /// The next request.
    ///
    /// - Returns: The request and the expected answer.
    mutating func next() -> BidRequestCase {
        count += 1
        let sourceApp = Int64.random(in: 1...20_000_000_000, using: &random)
        let itunesItem = Int64.random(in: 1...20_000_000_000, using: &random)
        // Campaign only, source identifier only, or both.
        let numbers = Int.random(in: 0..<4, using: &random)
        let campaign = numbers == 1 ? nil : Int64.random(in: 1...100, using: &random)
        let sourceIdentifier = numbers == 0 ? nil : Int64.random(in: 0...9999, using: &random)
        let includes = random.pick([(true, true): 4, (true, false): 4, (false, true): 2])
        var members: [String] = [#""gpid": "/1234/home#1", "secure": 1"#]
        var skadn = BidRequestCase.Expectation.absent
        var adAttributionKit = BidRequestCase.Expectation.absent
        if includes.0 {
            let (json, expectation) = skadnObject(sourceApp, campaign, sourceIdentifier)
            members.append(#""skadn": \#(json)"#)
            skadn = expectation
        }
        if includes.1 {
            let (json, expectation) = adAttributionKitObject(sourceApp, sourceIdentifier)
            members.append(#""adattributionkit": \#(json)"#)
            adAttributionKit = expectation
        }
        var advertise = [#""itunesitem": \#(number(itunesItem))"#]
        if let campaign {
            advertise.append(#""campaign": \#(number(campaign))"#)
        }
        if let sourceIdentifier {
            advertise.append(#""sourceidentifier": \#(number(sourceIdentifier))"#)
        }
        members.append(#""advertise": {\#(advertise.joined(separator: ", "))}"#)
        members.shuffle(using: &random)
        return BidRequestCase(
            number: count, body: "{\(members.joined(separator: ", "))}", skadn: skadn,
            adAttributionKit: adAttributionKit, sourceApp: sourceApp, itunesItem: itunesItem, campaign: campaign,
            sourceIdentifier: sourceIdentifier)
    }

    private mutating func skadnObject(
        _ sourceApp: Int64, _ campaign: Int64?, _ sourceIdentifier: Int64?
    ) -> (String, BidRequestCase.Expectation) {
        var members = [#""sourceapp": \#(number(sourceApp))"#, #""ext": {"exchange": [1, {"deep": null}]}"#]
        let (versions, text) = versionsMember()
        members.append(text)
        let (lists, spelling) = listMembers()
        members += lists
        if random.chance(0.5) {
            members.append(#""productpage": \#(number(1)), "skoverlay": \#(number(1))"#)
        }
        if random.chance(0.03) {
            members.removeFirst()
            return ("{\(members.joined(separator: ", "))}", .refused(reason: "bad-field"))
        }
        members.shuffle(using: &random)
        let json = "{\(members.joined(separator: ", "))}"
        guard let spelling else {
            return (json, .refused(reason: "no-common-network"))
        }
        let usable = versions.filter { version in
            network.versions.contains(version) && (version == .v4_0 ? sourceIdentifier : campaign) != nil
        }
        guard let best = usable.max() else {
            return (json, .refused(reason: "no-common-version"))
        }
        return (json, .signed(version: best.rawValue, network: spelling, signatures: best >= .v2_2 ? 2 : 1))
    }

    /// A random subset of the versions, or a single one; sometimes one that does not exist yet.
    private mutating func versionsMember() -> ([SKAdNetworkVersion], String) {
        let known: [SKAdNetworkVersion] = [.v2_0, .v2_1, .v2_2, .v3_0, .v4_0]
        let newest = Int.random(in: 0..<known.count, using: &random)
        if random.chance(0.2) {
            return ([known[newest]], #""version": "\#(known[newest].rawValue)""#)
        }
        let versions = Array(known[Int.random(in: 0...newest, using: &random)...newest])
        var texts = versions.map { #""\#($0.rawValue)""# }
        if random.chance(0.1) {
            texts.append(#""5.0""#)
        }
        texts.shuffle(using: &random)
        return (versions, #""version": "2.0", "versions": [\#(texts.joined(separator: ", "))]"#)
    }

    /// The lists of networks, and their spelling of the network that signs; nil if they do not have it.
    private mutating func listMembers() -> ([String], String?) {
        let others = (0..<Int.random(in: 0..<8, using: &random)).map { _ in
            "\(String(random.next(), radix: 36).prefix(10)).skadnetwork"
        }
        let spelling = random.pick([network.id: 3, network.id.uppercased(): 1])
        let quoted = { (ids: [String]) in "[\(ids.map { #""\#($0)""# }.joined(separator: ", "))]" }
        let all = (others + [spelling]).shuffled(using: &random)
        let range = Int64.random(in: network.registryID...(network.registryID + 500), using: &random)
        let below = Int64.random(in: 0..<network.registryID, using: &random)
        let excluded = (0..<5).map { _ in Int64.random(in: 1...range, using: &random) }.filter {
            $0 != network.registryID
        }
        let list = { (numbers: [Int64]) in "[\(numbers.map { String($0) }.joined(separator: ", "))]" }
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: return ([#""skadnetids": \#(quoted(all))"#], spelling)
        case 2: return ([#""skadnetlist": {"max": \#(number(range)), "excl": [], "addl": \#(quoted(all))}"#], spelling)
        case 3:
            return ([#""skadnetlist": {"max": \#(number(range)), "excl": \#(list(excluded))}"#], network.id)
        case 4:
            let numbers = list(excluded + [network.registryID])
            return ([#""skadnetids": \#(quoted(others)), "skadnetlist": {"max": \#(range), "excl": \#(numbers)}"#], nil)
        case 5: return ([#""skadnetids": \#(quoted(others)), "skadnetlist": {"max": \#(below), "addl": null}"#], nil)
        default: return ([#""skadnetids": \#(quoted(others))"#], nil)
        }
    }

    private mutating func adAttributionKitObject(
        _ sourceApp: Int64, _ sourceIdentifier: Int64?
    ) -> (String, BidRequestCase.Expectation) {
        let version = random.pick(["1.0": 9, "9.0": 1])
        let isListed = random.chance(0.8)
        let ids = ["m2jqnlggk3.adattributionkit"] + (isListed ? [network.id] : [])
        let list = ids.map { #""\#($0)""# }.joined(separator: ", ")
        let json = #"{"version": "\#(version)", "sourceapp": \#(number(sourceApp)), "skadnetids": [\#(list)]}"#
        if version != "1.0" {
            return (json, .refused(reason: "no-common-version"))
        }
        guard isListed else {
            return (json, .refused(reason: "no-common-network"))
        }
        guard sourceIdentifier != nil else {
            return (json, .refused(reason: "bad-field"))
        }
        return (json, .signed(version: "1.0", network: network.id, signatures: 1))
    }

    /// A number or a string of digits, as exchanges send either.
    private mutating func number(_ value: Int64) -> String {
        random.chance(0.5) ? String(value) : #""\#(value)""#
    }
}

/// A bid request as an exchange might send it, with the expected answer.
struct BidRequestCase: Sendable, CustomStringConvertible {
    /// The expected answer for an extension.
    enum Expectation: Sendable, Hashable {
        /// Absent from the request, and so from the answer.
        case absent
        /// Signed, with this version, spelling of the network and number of signatures.
        case signed(version: String, network: String, signatures: Int)
        /// Refused, with this code.
        case refused(reason: String)
    }

    /// The number of the case in its seed's sequence.
    let number: Int
    /// The body of the request.
    let body: String
    /// The expected answer for `skadn`.
    let skadn: Expectation
    /// The expected answer for `adattributionkit`.
    let adAttributionKit: Expectation
    /// `sourceapp` of the request.
    let sourceApp: Int64
    /// `advertise.itunesitem`.
    let itunesItem: Int64
    /// `advertise.campaign`, if there is one.
    let campaign: Int64?
    /// `advertise.sourceidentifier`, if there is one.
    let sourceIdentifier: Int64?

    /// The number and the body, to reproduce a failure.
    var description: String {
        "bid request \(number): \(body)"
    }
}

extension SeededGenerator {
    /// True with a probability of `share`, 0…1.
    fileprivate mutating func chance(_ share: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < share
    }

    /// A random choice by weight.
    fileprivate mutating func pick<Choice>(_ choices: KeyValuePairs<Choice, Int>) -> Choice {
        var remaining = Int.random(in: 0..<choices.reduce(0) { $0 + $1.value }, using: &self)
        for (choice, weight) in choices {
            if remaining < weight {
                return choice
            }
            remaining -= weight
        }
        return choices[choices.count - 1].key
    }
}
