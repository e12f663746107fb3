/// The reason for which FCM refused a message (Google: "REST error codes for the HTTP v1 API"). Sources in order: the
/// answer's `errorCode`, the canonical `status`, the HTTP status.
public enum FCMReason: Hashable, Sendable {
    case unregistered, senderIDMismatch
    /// An invalid registration token. FCM reports it as an invalid argument without a code of its own.
    case invalidRegistration
    case invalidArgument, thirdPartyAuthError, quotaExceeded, unavailable, `internal`
    case permissionDenied, unauthenticated, notFound
    /// The answer has no readable code, and its status has no default reason.
    case missing
    /// A code that is not in the table: 1 to 64 capitals, digits and underscores.
    case unknown(String)

    /// Every reason of the table.
    public static let known: [FCMReason] = [
        .unregistered, .senderIDMismatch, .invalidRegistration, .invalidArgument, .thirdPartyAuthError, .quotaExceeded,
        .unavailable, .internal, .permissionDenied, .unauthenticated, .notFound,
    ]

    private static let byWord = Dictionary(uniqueKeysWithValues: known.map { ($0.name, $0) })
        .merging(["RESOURCE_EXHAUSTED": .quotaExceeded]) { word, _ in word }

    /// The reason for an answer's code; `unknown` if the table lacks it.
    init(word: String) {
        self = FCMReason.byWord[word] ?? .unknown(word)
    }

    /// The default reason of a status (`google.rpc.Code`). It never concerns an address.
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
