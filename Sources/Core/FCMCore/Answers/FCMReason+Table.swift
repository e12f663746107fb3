import Delivery

extension FCMReason {
    /// A row of the table of reasons.
    struct Entry {
        let name: String
        /// The HTTP status with which FCM sends it; 0 when there is none.
        let status: UInt16
        /// Nil: the status decides.
        let classification: Classification?
        let sentence: String

        init(_ name: String, _ status: UInt16, _ classification: Classification?, _ sentence: String) {
            self.name = name
            self.status = status
            self.classification = classification
            self.sentence = sentence
        }
    }

    /// FCM's spelling; empty when it gave none.
    public var name: String { entry.name }

    /// The HTTP status that Google documents for it; nil when there is none.
    public var documentedStatus: UInt16? { entry.status == 0 ? nil : entry.status }

    /// One sentence for people.
    public var explanation: String { entry.sentence }

    /// The token is not pushed to again. Doubtful: a connection that is out of order would say it of live tokens.
    private static let addressRefused = Classification(.addressRefused, isAboutAddress: true, isDoubtful: true)
    static let requestRefused = Classification(.requestRefused, isDoubtful: true)
    static let busy = Classification(.later, trouble: .overloaded)

    var entry: Entry {
        switch self {
        case .unregistered:
            Entry(
                "UNREGISTERED", 404, Classification(.addressDead, isAboutAddress: true),
                "The app instance is no longer registered with FCM.")
        case .senderIDMismatch:
            Entry(
                "SENDER_ID_MISMATCH", 403,
                Classification(.addressRefused, isAboutAddress: true, isDoubtful: true, mayBlameTopic: true),
                "The registration token belongs to another Firebase project.")
        case .invalidRegistration:
            Entry("INVALID_REGISTRATION", 400, Self.addressRefused, "The registration token is malformed.")
        case .invalidArgument:
            Entry(
                "INVALID_ARGUMENT", 400, Self.requestRefused,
                "The message is too large or has a field that FCM rejects.")
        case .thirdPartyAuthError:
            Entry(
                "THIRD_PARTY_AUTH_ERROR", 401, Self.requestRefused,
                "The project has no valid credential for the service behind FCM that the token belongs to.")
        case .quotaExceeded:
            Entry("QUOTA_EXCEEDED", 429, Self.busy, "The project or the device has exceeded its message quota.")
        case .unavailable:
            Entry("UNAVAILABLE", 503, Self.busy, "FCM is overloaded or unavailable.")
        case .internal:
            Entry("INTERNAL", 500, Self.busy, "FCM had an internal error.")
        case .permissionDenied:
            Entry(
                "PERMISSION_DENIED", 403, Classification(.again, trouble: .credential),
                "The service account may not send messages for this project, or the API is not enabled.")
        // The next access token may be all that is needed.
        case .unauthenticated:
            Entry(
                "UNAUTHENTICATED", 401, Classification(.again, trouble: .credential, isWeighty: false),
                "The access token is missing, malformed or expired.")
        case .notFound:
            Entry("NOT_FOUND", 404, Self.requestRefused, "The project does not exist, or the URL's path is wrong.")
        case .missing:
            Entry("", 0, nil, "The answer gave no reason.")
        case .unknown(let name):
            Entry(name, 0, nil, "A reason that is unknown to this version.")
        }
    }
}

extension FCMReason: CustomStringConvertible {
    public var description: String { self == .missing ? "no reason given" : name }
}
