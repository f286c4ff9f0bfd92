/// What standard reports need to know besides the store, from files that people write.
package struct ReportReferences: Sendable {
    /// What conversion values mean.
    package var schemas: ConversionSchemas

    /// Creates references; by default nothing is known.
    package init(schemas: ConversionSchemas = ConversionSchemas()) {
        self.schemas = schemas
    }
}
