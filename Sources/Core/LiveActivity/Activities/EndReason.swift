/// The reason for the end of a Live Activity or an activity. Raw values are stored; never change one.
public enum EndReason: UInt8, CaseIterable, Sendable {
    case endedByAPI = 1
    case expired = 2
    case lifetime = 3
    case userDismissed = 4
    case userUnfollow = 5
    case matchEnd = 6
    case tokenInvalid = 7

    /// The name in the API.
    public var name: String {
        switch self {
        case .endedByAPI: "ended_by_api"
        case .expired: "expired"
        case .lifetime: "lifetime"
        case .userDismissed: "user_dismissed"
        case .userUnfollow: "user_unfollow"
        case .matchEnd: "match_end"
        case .tokenInvalid: "token_invalid"
        }
    }
}
