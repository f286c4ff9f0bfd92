import StrictJSON

extension SigningRefusal {
    /// Reads a signing request, so that each kind of request words what is wrong in the same way.
    ///
    /// - Parameters:
    ///   - body: A JSON object.
    ///   - limit: The maximum length of the body, in bytes.
    ///   - depth: How deep arrays and objects may nest.
    ///   - make: Makes the request from its members.
    /// - Returns: The request.
    /// - Throws: ``SigningRefusal`` for a body that is not JSON, and for the problem that `make` throws.
    static func orRequest<Request>(
        reading body: [UInt8],
        limit: Int,
        depth: Int = JSONObject.maximumDepth,
        _ make: (RequestFields) throws(FieldProblem) -> Request
    ) throws(SigningRefusal) -> Request {
        let fields: RequestFields
        do throws(JSONError) {
            fields = try RequestFields(reading: body, limit: limit, depth: depth)
        } catch {
            throw .notJSON(error)
        }
        do throws(FieldProblem) {
            return try make(fields)
        } catch {
            throw .field(error)
        }
    }
}
