import StrictJSON

/// Identifiers of a request, read once: what cannot be signed is refused by its name there.
extension RequestFields {
    /// A number that an impression is counted under; nil when there is none.
    func campaignNumber<Number: CampaignNumber>(_ name: String) throws(FieldProblem) -> Number? {
        guard let number = try integer(name) else {
            return nil
        }
        guard let value = Number(number) else {
            throw problem(name, found: String(number), expected: Number.rule)
        }
        return value
    }

    /// The app that shows an ad, 0 in development; nil when there is none.
    func sourceApp(_ name: String) throws(FieldProblem) -> AppStoreItemID? {
        guard let number = try integer(name) else {
            return nil
        }
        guard number >= 0 else {
            throw problem(name, found: String(number), expected: AppStoreItemID.sourceRule)
        }
        return AppStoreItemID(number)
    }
}
