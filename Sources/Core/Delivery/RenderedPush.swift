public import TimeCore

/// The shared content of all pushes of a job, rendered by a provider. Only the provider that made it can send it.
public protocol RenderedPush: AnyObject, Sendable {
    var event: PushEvent { get }
    /// The time after which pushes are no longer sent; nil for none. Set it on the provider's reactor.
    var notAfter: MonotonicTime? { get set }
    /// The name under which the provider knows the app; nil if the provider refuses no push because of it.
    var topic: String? { get }
}

extension RenderedPush {
    /// The default for providers without topics.
    public var topic: String? { nil }
}
