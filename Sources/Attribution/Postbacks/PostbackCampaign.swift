/// The campaign of a postback.
package enum PostbackCampaign: Hashable, Sendable {
    /// `campaign-id`, up to 3.0.
    case campaignID(Int64)
    /// `source-identifier`, from 4.0: a string of two to four digits.
    case sourceIdentifier(SourceIdentifier)
}
