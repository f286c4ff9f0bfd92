package import StrictJSON

// Identifiers from user input, with an error that names the field.

extension AdNetworkID {
    /// Accepts an id, spelt as in the source app's Info.plist.
    static func checked(_ text: String, field: String) throws(FieldProblem) -> AdNetworkID {
        guard let id = AdNetworkID(text) else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"", expected: SignedTextSeparator.rule)
        }
        return id
    }

    /// The rule for ids in a list of tokens, for messages.
    package static let listRule = "an ad network id of letters, digits, dots and hyphens"

    /// Accepts an id that a list of tokens names, in any letter case.
    ///
    /// Ids that Apple documents have nothing but letters, digits, dots and hyphens, as `com.apple.test-1` has; what is
    /// received may have more.
    ///
    /// - Returns: The id as it is spelt; nil for what cannot be one.
    package static func ofList(_ text: String) -> AdNetworkID? {
        let isForm = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isForm ? AdNetworkID(text) : nil
    }

    /// The rule for ids that a setting, a list of keys or a command names, for messages.
    package static let settingRule = "the id of one ad network, such as example123.skadnetwork"

    /// Accepts the id of a network that a setting, a list of keys or a command names, in any letter case: one that
    /// Apple can have given.
    ///
    /// Stricter than ids that are received: one that no postback has would go unnoticed.
    ///
    /// - Throws: ``FieldProblem`` naming the setting.
    package static func ofSetting(_ text: String, field: String) throws(FieldProblem) -> AdNetworkID {
        let registered = text.lowercasedASCII
        let isKnownForm =
            (try? RegisteredNetworkID(registered)) != nil
            || registered.hasPrefix("com.") && (try? DomainName(registered, field: field)) != nil
        guard isKnownForm, let id = AdNetworkID(text) else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"",
                expected: settingRule)
        }
        return id
    }

    /// What to know of an id with capital letters; nil for one without.
    package var caseWarning: String? {
        registered == text
            ? nil
            : "\(text) has capital letters, but Apple gives ids in lower case; "
                + "apps must spell it so in Info.plist, too, or devices reject what is signed"
    }
}

extension Nonce {
    /// Accepts a version 4 UUID in lower case with dashes.
    static func checked(_ text: String, field: String) throws(FieldProblem) -> Nonce {
        guard let nonce = Nonce(text) else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 40))\"",
                expected: "a version 4 UUID in lower case, for example 68483ef6-0678-40df-859b-1b8f3f2d7b21")
        }
        return nonce
    }
}

extension AppStoreItemID {
    /// What to provide if the app that shows the ad is missing, for messages.
    static let missingSourceRule = "the App Store id of the app that shows the ad (0 while it is development-signed)"

    /// Accepts the id of the app that shows an ad.
    static func source(_ number: Int64, field: String) throws(FieldProblem) -> AppStoreItemID {
        guard number >= 0 else {
            throw FieldProblem(field: field, found: String(number), expected: "an App Store id, or 0 in development")
        }
        return AppStoreItemID(number)
    }

    /// Accepts the digits of an advertised app's id in a setting.
    package static func ofSetting(_ text: String, field: String) throws(FieldProblem) -> AppStoreItemID {
        guard let number = Int64(text), number > 0, String(number) == text else {
            throw FieldProblem(field: field, found: "\"\(text.shortened(to: 60))\"", expected: advertisedRule)
        }
        return AppStoreItemID(number)
    }

    /// The rule for the id of an advertised app, for messages.
    static let advertisedRule = "an App Store id greater than 0"

    /// Accepts the id of an advertised app.
    static func advertised(_ number: Int64, field: String) throws(FieldProblem) -> AppStoreItemID {
        guard number > 0 else {
            throw FieldProblem(field: field, found: String(number), expected: advertisedRule)
        }
        return AppStoreItemID(number)
    }
}

extension CampaignNumber {
    /// The rule, for messages.
    static var rule: String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Accepts a number in the range.
    static func checked(_ number: Int64?, field: String) throws(FieldProblem) -> Self {
        guard let value = number.flatMap({ Self($0) }) else {
            throw FieldProblem(field: field, found: number.map { String($0) } ?? "nothing", expected: rule)
        }
        return value
    }
}

extension UnixMilliseconds {
    /// From 2017, before the first version, to 2100; any other time is probably in another unit.
    private static let signable: ClosedRange<Int64> = 1_483_228_800_000...4_102_444_800_000

    /// Refuses an implausible time, which is probably in another unit or from a wrong clock.
    func checkIsSignable(field: String) throws(FieldProblem) {
        guard Self.signable.contains(rawValue) else {
            throw FieldProblem(
                field: field, found: String(rawValue), expected: "Unix time in milliseconds (13 digits)")
        }
    }
}

extension SourceDomain {
    /// Whether it has a dot and a letter, so that a number cannot pass for a domain.
    var isDomainName: Bool {
        var (hasDot, hasLetter) = (false, false)
        for byte in text.utf8 {
            hasDot = hasDot || byte == UInt8(ascii: ".")
            // Any non-ASCII character counts as a letter; all bytes of its UTF-8 encoding are at least 0x80.
            hasLetter = hasLetter || byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return hasDot && hasLetter
    }

    /// Accepts a domain that a person or a server gives, in the one spelling that browsers have for it.
    ///
    /// Devices compare what was signed with the domain of the page, and taps are matched exactly.
    ///
    /// - Throws: ``FieldProblem`` naming the field.
    package static func given(_ text: String, field: String) throws(FieldProblem) -> SourceDomain {
        try received(try DomainName(text, field: field).text, field: field)
    }

    /// Accepts a domain without scheme, port or path that a device sent; it is signed as it was received.
    package static func received(_ text: String, field: String) throws(FieldProblem) -> SourceDomain {
        let hasMore = text.utf8.contains { Array("/:@ ".utf8).contains($0) }
        guard let domain = SourceDomain(text), domain.isDomainName, !hasMore else {
            throw FieldProblem(
                field: field, found: "\"\(text.shortened(to: 60))\"",
                expected: "a domain of at most 255 bytes, without scheme, port or path, for example example.com")
        }
        return domain
    }
}
