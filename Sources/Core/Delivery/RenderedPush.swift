public import TimeCore

/// What all pushes of one job share, as the provider made it that sends them. Opaque to everybody else: a provider
/// takes only what it has made itself.
public protocol RenderedPush: AnyObject, Sendable {
    var event: PushEvent { get }
    /// A push that is not on its way by then is not sent any more; nil when there is no such time. Set it where the
    /// pushes are given, on the provider's reactor.
    var notAfter: MonotonicTime? { get set }
    /// The name under which the provider knows the app; nil if the provider refuses no push because of it.
    var topic: String? { get }
}

extension RenderedPush {
    /// The default for providers without topics.
    public var topic: String? { nil }
}
