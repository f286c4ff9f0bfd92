/// What standard reports need to know besides the store, from files that people write.
package struct ReportReferences: Sendable {
    /// What conversion values mean.
    package var schemas: ConversionSchemas
    /// What campaigns and apps are called; nil without a file of names.
    package var campaigns: CampaignMap?

    /// Creates references; by default nothing is known.
    package init(schemas: ConversionSchemas = ConversionSchemas(), campaigns: CampaignMap? = nil) {
        self.schemas = schemas
        self.campaigns = campaigns
    }
}
