/// Why FCM did not take a message, in FCM's own words: the `errorCode` of its answer, else the canonical `status`, else
/// what the HTTP status stands for (Google: "REST error codes for the HTTP v1 API").
public enum FCMReason: Hashable, Sendable {
    case unregistered, senderIDMismatch
    /// An invalid argument that is the registration token. FCM has no word of its own for it.
    case invalidRegistration
    case invalidArgument, thirdPartyAuthError, quotaExceeded, unavailable, `internal`
    case permissionDenied, unauthenticated, notFound
    /// An answer without a word that could be read, and with a status that stands for none.
    case missing
    /// A word that is not in the table, as it came: 1 to 64 capitals, digits and underscores.
    case unknown(String)

    /// Every reason of the table.
    public static let known: [FCMReason] = [
        .unregistered, .senderIDMismatch, .invalidRegistration, .invalidArgument, .thirdPartyAuthError, .quotaExceeded,
        .unavailable, .internal, .permissionDenied, .unauthenticated, .notFound,
    ]

    private static let byWord = Dictionary(uniqueKeysWithValues: known.map { ($0.name, $0) })
        .merging(["RESOURCE_EXHAUSTED": .quotaExceeded]) { word, _ in word }

    /// The reason that a word of the answer names; `unknown` keeps one that is not in the table.
    init(word: String) {
        self = FCMReason.byWord[word] ?? .unknown(word)
    }

    /// What a status stands for when nothing else is said (`google.rpc.Code`). Never anything about an address.
    init(status: UInt16) {
        self =
            switch status {
            case 400: .invalidArgument
            case 401: .unauthenticated
            case 403: .permissionDenied
            case 404: .notFound
            case 429: .quotaExceeded
            case 500: .internal
            case 502...504: .unavailable
            default: .missing
            }
    }
}
