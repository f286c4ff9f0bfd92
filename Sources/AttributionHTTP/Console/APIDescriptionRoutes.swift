import APIDescription
import HTTPTypes
import Hummingbird
import NIOCore

/// The description of the server's interfaces, for whoever writes a client of them.
public struct APIDescriptionRoutes: ConsoleRoutes {
    /// Makes the routes.
    public init() {}

    /// `/openapi.yaml`.
    public var endpoints: [ConsoleEndpoint] {
        // The same bytes for everybody, copied into a buffer once.
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
