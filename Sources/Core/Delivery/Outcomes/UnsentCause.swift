/// Why a push got no answer.
public enum UnsentCause: Hashable, Sendable, CustomStringConvertible {
    /// It was sent, and no answer came by the deadline.
    case timedOut
    /// No connection could be had by the deadline; the reason of the last failure.
    case noConnection(String)
    /// Connections were there, but none had room for it by the deadline.
    case noCapacity
    /// The connection broke while the answer was awaited.
    case connectionLost(String)
    /// The provider reset the stream with this HTTP/2 error code.
    case streamReset(UInt32)
    /// The provider refused the stream, without processing it, again and again.
    case refusedTooOften
    /// The time after which it was of no use had come before it could be sent.
    case expired
    /// This kind of destination or the length of the token cannot be sent.
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
