import CAPIDescription

/// The description of everything the server answers over HTTP, OpenAPI 3.1.
///
/// - SeeAlso: [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)
package enum APIDescription {
    /// The bytes of `openapi.yaml`.
    package static var yaml: [UInt8] {
        Array(UnsafeBufferPointer(start: openapi_yaml(), count: openapi_yaml_size()))
    }
}
