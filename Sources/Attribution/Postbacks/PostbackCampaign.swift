/// What a postback counts under.
package enum PostbackCampaign: Hashable, Sendable {
    /// `campaign-id`, up to 3.0.
    case campaignID(Int64)
    /// `source-identifier`, from 4.0: two to four digits as text.
    case sourceIdentifier(SourceIdentifier)
}
