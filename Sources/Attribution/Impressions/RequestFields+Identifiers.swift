import StrictJSON

extension RequestFields {
    /// A campaign id or source identifier; nil if absent.
    func campaignNumber<Number: CampaignNumber>(_ name: String) throws(FieldProblem) -> Number? {
        guard let number = try integer(name) else {
            return nil
        }
        guard let value = Number(number) else {
            throw problem(name, found: String(number), expected: Number.rule)
        }
        return value
    }

    /// The app that shows an ad, 0 in development; nil if absent.
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
