/// Why bytes are not a well-formed request; the text is part of the answer.
///
/// - SeeAlso: [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112)
package enum IngressFault: String, Error, CaseIterable, Sendable {
    case method = "an unknown method, or none"
    case target = "a target other than a path, an http URL or an asterisk, or with characters outside visible ASCII"
    case version = "a version other than HTTP/1.0 and HTTP/1.1, or more than one space before it"
    case lineEnd = "a line feed without a carriage return before it, or a carriage return within a line"
    case foldedField = "a field that begins with white space"
    case fieldName = "a field whose name is not a token, or is not followed by a colon"
    case fieldValue = "a control character in a field"
    case length = "a Content-Length that is not a whole number"
    case chunkSize = "a chunk size that is not a hexadecimal number within 64 bits"
    case chunkExtension = "a chunk extension that is not made of tokens"
    case chunkEnd = "a chunk that does not end where its size says"
    case trailer = "a trailer field that belongs in the head"
}
