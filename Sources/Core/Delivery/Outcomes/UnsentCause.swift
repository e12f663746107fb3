/// The cause of a push without an answer.
public enum UnsentCause: Hashable, Sendable, CustomStringConvertible {
    /// The push was sent, and no answer came by the deadline.
    case timedOut
    /// No connection was open by the deadline. Contains the reason of the last failure.
    case noConnection(String)
    /// No open connection had room by the deadline.
    case noCapacity
    /// The connection was lost before the answer.
    case connectionLost(String)
    /// The provider reset the stream with this HTTP/2 error code.
    case streamReset(UInt32)
    /// The provider repeatedly refused the stream without processing it.
    case refusedTooOften
    /// The content expired before the push could be sent.
    case expired
    /// The provider cannot send to this kind of destination, or the token is too long.
    case unsendable
    /// The client was shut down.
    case shutDown

    public var description: String {
        switch self {
        case .timedOut: "no answer in time"
        case .noConnection(let reason): "no connection: \(reason)"
        case .noCapacity: "no stream was free in time"
        case .connectionLost(let reason): "the connection was lost: \(reason)"
        case .streamReset(let code): "the provider reset the stream (error code \(code))"
        case .refusedTooOften: "the provider refused the stream too often"
        case .expired: "its time was over"
        case .unsendable: "this destination cannot be sent to"
        case .shutDown: "shut down"
        }
    }
}
