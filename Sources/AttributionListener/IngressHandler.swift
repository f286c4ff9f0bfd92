/// What takes complete requests and answers them.
package enum IngressHandler: Sendable {
    /// Answers each exactly once, at any later time and from any thread.
    ///
    /// It is called on an event loop and must not block. A second answer to one request, and an answer whose client has
    /// gone or whose deadline has passed, are dropped.
    case callback(Callback)
    /// Answers each in a task of its own.
    ///
    /// The task is cancelled once a server that stops has closed its connections, and for a route with
    /// ``IngressRoute/endsWithClient`` as soon as the client goes away.
    case task(@Sendable (IngressRequest) async -> IngressAnswer)

    /// Takes a request, and what is to be called with its answer.
    package typealias Callback = @Sendable (IngressRequest, @escaping @Sendable (IngressAnswer) -> Void) -> Void
}
