import Attribution

/// A contract that a measurement partner has published, or a usual form; all are of SKAdNetwork, for none of them has
/// published one for AdAttributionKit.
package enum DestinationPreset: String, CaseIterable, Hashable, Sendable {
    case appsflyer, branch, appmetrica, kochava, airbridge, adbrix
    /// Adjust's Apple payload structure: JSON.
    case adjust
    /// Adjust's own payload structure: parameters of a GET request.
    case adjustQuery = "adjust-query"
    case singular
    /// Any receiver of JSON; everything can be chosen.
    case generic
    /// The received bytes for an advertiser, of either framework.
    case relay

    /// What a contract asks for.
    struct Contract {
        /// Where it is sent; nil where each customer has a URL.
        var url: String?
        /// What a customer's URL looks like, for messages.
        var urlForm = "the URL that the receiver gave you"
        var body = Destination.BodyMode.rawAndMembers
        var headers: [Destination.Header] = []
        /// What is always added; a member of the file with the same name replaces it.
        var added: [AddedMember] = []
        /// The names and types of members that may be added.
        var documented: [String: MemberType] = [:]
        /// Whether members of other names may be added.
        var takesOthers = false
        /// Members that the file must give a value.
        var required: [String] = []
        var fillsNull = false
        /// Whether it is of SKAdNetwork alone.
        var isOfSKAdNetwork = true
    }

    /// What the contract asks for; whatever it names that we do not know, such as the device's address, is left out.
    var contract: Contract {
        func strings(_ prefix: String, _ names: [String], _ suffixes: [String]) -> [String: MemberType] {
            let all = names.flatMap { name in suffixes.map { prefix + name + $0 } }
            return Dictionary(uniqueKeysWithValues: all.map { ($0, MemberType.string) })
        }
        let seconds = ValueSource.own(.receivedAtSeconds)
        let campaigns = strings("ad-network-", ["campaign", "adset", "ad"], ["-id", "-name"])
        switch self {
        case .appsflyer:
            return Contract(
                url: "https://skadpostbacks.appsflyer.com/api/postbacks",
                added: [AddedMember("timestamp", seconds, as: .string)],
                documented: campaigns.merging(["timestamp": .string]) { $1 })
        case .appmetrica:
            return Contract(
                url: "https://skadnet-postback.yandex.net/postback",
                added: [AddedMember("timestamp", seconds, as: .string)],
                documented: campaigns.merging(["timestamp": .string]) { $1 }, takesOthers: true)
        case .branch:
            return Contract(
                url: "https://api2.branch.io/v1/skadnetwork",
                added: [AddedMember("test", .own(.isTest), as: .boolean)],
                documented: strings("partner-", ["campaign", "ad-set", "ad", "creative"], ["-id", "-name"])
                    .merging(["test": .boolean, "timestamp": .number]) { $1 })
        case .kochava:
            return Contract(urlForm: "https://SUBDOMAIN.adsmeasurement.com/v1/skad/postback", takesOthers: true)
        case .airbridge:
            return Contract(
                url: "https://postback.airbridge.io/skadnetwork/v1",
                documented: strings("attributed-", ["channel", "campaign", "campaign-id"], [""]),
                required: ["attributed-channel"], fillsNull: true)
        case .adbrix:
            return Contract(
                urlForm: "the URL of adbrix's partner console",
                headers: [Destination.Header(name: "ABX-TOKEN", value: "{secret}")])
        case .adjust:
            return Contract(
                urlForm: "the URL that Adjust gave you", added: [AddedMember("timestamp", seconds, as: .number)],
                documented: strings("adjust-", ["campaign", "adgroup", "creative"], ["", "-id"])
                    .merging(["adjust-tracker": .string, "timestamp": .number]) { $1 })
        case .adjustQuery:
            return Contract(
                url: "https://app.adjust.com/skadnetwork/{secret}", body: .query,
                documented: strings("", ["tracker", "campaign", "campaign_id", "adgroup"], [""]), takesOthers: true)
        case .singular:
            return Contract(urlForm: "the URL that Singular gave you", takesOthers: true)
        case .generic:
            return Contract(takesOthers: true, isOfSKAdNetwork: false)
        case .relay:
            return Contract(urlForm: "the advertiser's URL", body: .raw, takesOthers: true, isOfSKAdNetwork: false)
        }
    }
}
