/// A tenant's requirement for signed reports (X-Identity-Signature). A signature that is present is always checked.
public enum SignatureDemand: Int, CaseIterable, Sendable {
    /// Reports need no signature.
    case none = 0
    /// Reports need a signature of version 1, which covers the insider_id, or of version 2.
    case any = 1
    /// Reports need a signature of version 2, which covers the insider_id, the udid and an expiry.
    case version2 = 2

    /// Parses the stored value. Unknown values are read as the strictest requirement.
    init(kept text: String?) {
        switch text {
        case nil, "0": self = .none
        case "1": self = .any
        default: self = .version2
        }
    }

    var kept: String { String(rawValue) }
}
