/// The meaning of status and header fields in a feed's answer.
public enum FeedAnswer: Equatable, Sendable {
    /// Status 200: read the body.
    case whole
    /// Status 304, or 204 without a body: no change.
    case unchanged
    case failed(FeedFailure)

    /// - Parameter wasConditional: True if the request was conditional. A 304 to any other request is an error.
    public init(status: Int, wasConditional: Bool) {
        switch status {
        case 200: self = .whole
        case 204: self = .unchanged
        case 304 where wasConditional: self = .unchanged
        case 300...399: self = .failed(.redirect)
        case 500...599: self = .failed(.server)
        default: self = .failed(.refused)
        }
    }
}
