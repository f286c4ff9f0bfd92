/// Takes complete requests and answers each exactly once, at any later time and from any thread.
///
/// It is called on an event loop and must not block. A second answer to one request, and an answer whose client has
/// gone or whose deadline has passed, are dropped.
package typealias IngressHandler =
    @Sendable (IngressRequest, @escaping @Sendable (IngressAnswer) -> Void) -> Void
