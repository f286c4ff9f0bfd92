package import FoundationEssentials
package import StrictJSON

/// What an ad network publishes for app developers.
package struct NetworkPublication: Sendable {
    /// An id with the date it was added.
    package struct Entry: Sendable {
        package let id: RegisteredNetworkID
        /// When it was added to the list; nil leaves the date out.
        package let creationDate: Date?

        package init(id: RegisteredNetworkID, creationDate: Date?) {
            self.id = id
            self.creationDate = creationDate
        }
    }

    /// The company that publishes the list.
    package let companyName: String
    /// Its business address; nil leaves it out.
    package let companyAddress: String?
    /// Its domain, which serves the files.
    package let companyDomain: DomainName
    /// Its ids in the order given, without duplicates.
    package let entries: [Entry]
    /// The domain that receives developers' copies of postbacks.
    package let copyDomain: DomainName
    /// The rules of attribution that an advertised app is to set.
    package let rules: AppAttributionRules
    /// Whether an advertised app is to let several re-engagements go on at once.
    package let overlapsConversions: Bool

    package init(
        companyName: String, companyAddress: String?, companyDomain: DomainName, entries: [Entry],
        copyDomain: DomainName, rules: AppAttributionRules = AppAttributionRules(), overlapsConversions: Bool = false
    ) throws(FieldProblem) {
        try Self.check(companyName, field: "company name")
        if let companyAddress {
            try Self.check(companyAddress, field: "company address")
        }
        guard !entries.isEmpty else {
            throw FieldProblem(field: "id", found: "none", expected: "at least one")
        }
        var known: Set<RegisteredNetworkID> = []
        for entry in entries where !known.insert(entry.id).inserted {
            throw FieldProblem(field: "id", found: "\(entry.id) twice", expected: "each id once")
        }
        self.companyName = companyName
        self.companyAddress = companyAddress
        self.companyDomain = companyDomain
        self.entries = entries
        self.copyDomain = copyDomain
        self.rules = rules
        self.overlapsConversions = overlapsConversions
    }

    private static func check(_ text: String, field: String) throws(FieldProblem) {
        let isLine = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard isLine, (1...200).contains(text.count), text.contains(where: { !$0.isWhitespace }) else {
            throw FieldProblem(
                field: field, found: text.isEmpty ? "nothing" : "\"\(text.shortened(to: 80))\"",
                expected: "1 to 200 characters on one line")
        }
    }

    /// The entries registered for SKAdNetwork.
    private var skAdNetworkEntries: [Entry] {
        entries.filter { $0.id.framework == .skadnetwork }
    }

    // MARK: For lists

    /// `skadnetworkids.json`, to serve from the root of the company's domain; nil without an SKAdNetwork id.
    ///
    /// - SeeAlso: [IAB Tech Lab, SKAdNetwork ID lists for app developers](https://github.com/InteractiveAdvertisingBureau/openrtb/blob/main/extensions/community_extensions/skadnetwork.md)
    package var listJSON: JSONText? {
        guard !skAdNetworkEntries.isEmpty else {
            return nil
        }
        let ids: [JSONText] = skAdNetworkEntries.map { entry in
            var members: [(String, JSONText)] = [
                ("entity_name", .string(companyName)),
                ("entity_domain", .string(companyDomain.text)),
                ("skadnetwork_id", .string(entry.id.text)),
            ]
            if let date = entry.creationDate {
                members.append(("creation_date", .string(date.formatted(.iso8601))))
            }
            return .object(members)
        }
        var members: [(String, JSONText)] = [("company_name", .string(companyName))]
        if let companyAddress {
            members.append(("company_address", .string(companyAddress)))
        }
        members.append(("company_domain", .string(companyDomain.text)))
        members.append(("skadnetwork_ids", .array(ids)))
        return .object(members)
    }

    /// `skadnetworkids.xml`, to serve next to ``listJSON``: a property list with SKAdNetworkItems.
    package var listXML: PropertyListText? {
        skAdNetworkEntries.isEmpty ? nil : .dictionary(["SKAdNetworkItems": skAdNetworkItems])
    }

    // MARK: For Info.plist

    /// What an app that shows ads adds to its Info.plist.
    ///
    /// SKAdNetworkItems has the SKAdNetwork ids, AdNetworkIdentifiers all of them: AdAttributionKit accepts both.
    package var sourceApp: PropertyListText {
        let identifiers = PropertyListText.array(entries.map { .string($0.id.text) })
        return skAdNetworkEntries.isEmpty
            ? .dictionary(["AdNetworkIdentifiers": identifiers])
            : .dictionary(["SKAdNetworkItems": skAdNetworkItems, "AdNetworkIdentifiers": identifiers])
    }

    /// What an advertised app adds to its Info.plist, so that devices send copies of winning postbacks to
    /// ``copyDomain``, those of re-engagements included, and attribute by ``rules``.
    ///
    /// The system adds the well-known paths itself. AttributionCopyEndpoint occurs twice because Apple's documentation
    /// and existing apps have it both at the top level and in the dictionary AdAttributionKit. Overlapping conversions
    /// and rules are left out unless chosen: the first need an app that keeps conversion tags, and the latter change
    /// what is attributed.
    ///
    /// - SeeAlso: [NSAdvertisingAttributionReportEndpoint](https://developer.apple.com/documentation/bundleresources/information-property-list/nsadvertisingattributionreportendpoint),
    ///   [AttributionCopyEndpoint](https://developer.apple.com/documentation/bundleresources/information-property-list/attributioncopyendpoint),
    ///   [EligibleForAdAttributionKitReengagementPostbackCopies](https://developer.apple.com/documentation/bundleresources/information-property-list/eligibleforadattributionkitreengagementpostbackcopies),
    ///   [What's new in AdAttributionKit](https://developer.apple.com/videos/play/wwdc2025/221)
    package var advertisedApp: PropertyListText {
        let endpoint = PropertyListText.string("https://\(copyDomain)")
        var members: [PropertyListText.Member] = [
            .init("NSAdvertisingAttributionReportEndpoint", endpoint),
            .init("AttributionCopyEndpoint", endpoint),
            .init("AdAttributionKit", .dictionary(["AttributionCopyEndpoint": endpoint])),
            .init("EligibleForAdAttributionKitReengagementPostbackCopies", .boolean(true)),
        ]
        if overlapsConversions {
            members.append(.init("EligibleForAdAttributionKitOverlappingConversions", .boolean(true)))
        }
        if let rules = rules.propertyList {
            members.append(.init("AdAttributionKitConfigurations", rules))
        }
        return .dictionary(members)
    }

    private var skAdNetworkItems: PropertyListText {
        .array(skAdNetworkEntries.map { .dictionary(["SKAdNetworkIdentifier": .string($0.id.text)]) })
    }
}
