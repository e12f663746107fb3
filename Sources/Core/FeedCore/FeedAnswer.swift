/// What the head of a feed's answer means.
public enum FeedAnswer: Equatable, Sendable {
    /// 200: the body says.
    case whole
    /// 304, or 204, which has no body: nothing is new.
    case unchanged
    case failed(FeedFailure)

    /// - Parameter wasConditional: whether the request named what is known already; a 304 to another one is a mistake.
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
