/// The description of everything the server answers over HTTP, OpenAPI 3.1.
///
/// A target of its own, so that the file is compiled in only when it has changed.
///
/// - SeeAlso: [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)
package enum APIDescription {
    /// The bytes of `openapi.yaml`.
    package static var yaml: [UInt8] {
        PackageResources.openapi_yaml
    }
}
