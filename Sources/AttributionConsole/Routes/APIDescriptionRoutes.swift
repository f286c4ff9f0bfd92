import APIDescription
import HTTPTypes
import Hummingbird
import NIOCore

/// The OpenAPI description of the server's interfaces.
package struct APIDescriptionRoutes: ConsoleRoutes {
    /// Makes the routes.
    package init() {}

    /// `/openapi.yaml`.
    package var endpoints: [ConsoleEndpoint] {
        // Copied into a buffer once.
        let document = ByteBuffer(bytes: APIDescription.yaml)
        return [
            ConsoleEndpoint(.apiDescription) { _, _ in
                // RFC 9512.
                Response(
                    status: .ok,
                    headers: [.contentType: "application/yaml", .cacheControl: "no-store"],
                    body: .init(byteBuffer: document)
                )
            }
        ]
    }
}
