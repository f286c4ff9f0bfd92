import APIDescription
import AttributionListener

/// The OpenAPI description of the server's interfaces.
package struct APIDescriptionRoutes: ConsoleRoutes {
    /// Makes the routes.
    package init() {}

    /// `/openapi.yaml`.
    package var endpoints: [ConsoleEndpoint] {
        // RFC 9512.
        var answer = IngressAnswer(status: 200, body: Array(APIDescription.yaml), mediaType: "application/yaml")
        answer.set("Cache-Control", "no-store")
        return [ConsoleEndpoint(.apiDescription) { [answer] _, _ in answer }]
    }
}
