/// Whether a tenant's apps must sign what they report (X-Identity-Signature), and how. What is given is checked in any
/// case.
public enum SignatureDemand: Int, CaseIterable, Sendable {
    /// Reports need no signature.
    case none = 0
    /// One of version 1, which vouches for the insider_id, or of version 2.
    case any = 1
    /// One of version 2, which vouches for the insider_id, the udid and an expiry.
    case version2 = 2

    /// As it is kept. What this version does not know is more than it knows, and so the most that it knows.
    init(kept text: String?) {
        switch text {
        case nil, "0": self = .none
        case "1": self = .any
        default: self = .version2
        }
    }

    var kept: String { String(rawValue) }
}
