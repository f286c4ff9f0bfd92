package import Attribution

/// All that decides what a postback counts as, and the dimensions of few values: one code in the column of traits.
package struct PostbackTraits: Hashable, Sendable {
    package let framework: PostbackFramework
    package let version: SKAdNetworkVersion?
    package let fidelityType: Int64?
    package let didWin: Bool?
    package let isRedownload: Bool?
    package let sequenceIndex: Int64?
    package let conversionType: ConversionType?
    /// `impression-type`, unless it is `app-impression`, as it always was.
    package let otherImpressionType: String?
    package let interactionType: AdInteractionType?
    package let conversion: Conversion

    package init(_ postback: SKAdNetworkPostback) {
        framework = .skAdNetwork
        version = postback.version
        fidelityType = postback.fidelityType?.rawValue
        didWin = postback.didWin
        isRedownload = postback.isRedownload
        sequenceIndex = postback.sequenceIndex
        conversionType = nil
        otherImpressionType = nil
        interactionType = nil
        conversion = postback.conversion
    }

    package init(_ postback: AdAttributionKitPostback) {
        framework = .adAttributionKit
        version = nil
        fidelityType = nil
        didWin = postback.didWin
        isRedownload = postback.conversionType.isRedownload
        sequenceIndex = postback.sequenceIndex
        conversionType = postback.conversionType
        let impressionType = postback.impressionType.text
        otherImpressionType = impressionType == ImpressionTypeKind.app ? nil : impressionType
        interactionType = postback.adInteractionType
        conversion = postback.conversion
    }

    /// What the counters take from it.
    package var counted: CountedTraits {
        CountedTraits(
            didWin: didWin, sequenceIndex: sequenceIndex, isRedownload: isRedownload,
            isRedownloadProven: version?.signsRedownload ?? true,
            isReengagement: conversionType == .reengagement, conversion: conversion)
    }

    /// The value of a dimension that follows from the traits; nil for the others.
    package func value(_ dimension: ReportDimension) -> String? {
        switch dimension {
        case .framework: framework.rawValue
        case .version: version?.rawValue ?? ""
        case .fidelity: fidelityType.map { String($0) } ?? ""
        case .redownload: isRedownload.map { String($0) } ?? ""
        case .sequenceIndex: sequenceIndex.map { String($0) } ?? ""
        case .conversionType: conversionType?.rawValue ?? ""
        case .impressionType: framework == .adAttributionKit ? otherImpressionType ?? ImpressionTypeKind.app : ""
        case .interactionType: interactionType?.rawValue ?? ""
        case .conversionValue: conversion.description
        default: nil
        }
    }
}

extension PostbackTraits: LosslessStringConvertible {
    /// The traits as the store keeps them, one after the other; empty where the postback says nothing.
    ///
    /// The last one, which may have any character, is there only for ``otherImpressionType``.
    package var description: String {
        let parts = [
            framework.rawValue, version?.rawValue ?? "", fidelityType.map { String($0) } ?? "",
            didWin.map { String($0) } ?? "", isRedownload.map { String($0) } ?? "",
            sequenceIndex.map { String($0) } ?? "", conversionType?.rawValue ?? "", interactionType?.rawValue ?? "",
            conversion.description,
        ]
        return (parts + [otherImpressionType].compactMap(\.self)).joined(separator: "|")
    }

    /// Reads what ``description`` writes; nil for any other text.
    package init?(_ description: String) {
        let parts = description.unicodeScalars
            .split(separator: "|", maxSplits: 9, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count >= 9, let framework = PostbackFramework(rawValue: parts[0]),
            let conversion = Conversion(parts[8])
        else {
            return nil
        }
        self.framework = framework
        version = SKAdNetworkVersion(rawValue: parts[1])
        fidelityType = Int64(parts[2])
        didWin = Bool(parts[3])
        isRedownload = Bool(parts[4])
        sequenceIndex = Int64(parts[5])
        conversionType = ConversionType(rawValue: parts[6])
        interactionType = AdInteractionType(rawValue: parts[7])
        self.conversion = conversion
        otherImpressionType = parts.count > 9 ? parts[9] : nil
        guard self.description == description, !["", ImpressionTypeKind.app].contains(otherImpressionType) else {
            return nil
        }
    }
}
