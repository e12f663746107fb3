public import Delivery
public import HTTP2Core

/// A provider's requests and answers over HTTP/2. The client calls it when a broadcast's pushes begin and for answers
/// other than 200, never for an accepted push.
public protocol PushDialect: Sendable {
    /// The rejection reasons that the provider documents, without duplicates, for metrics.
    var reasons: [String] { get }
    /// The maximum length of an address in bytes. Each push reserves as much memory.
    var longestToken: Int { get }
    /// The limits on reading and keeping an answer.
    var answerLimits: HTTP2Limits { get }

    /// Returns the template of a job's requests. Returns nil if the push belongs to another provider or is too large.
    func request(
        _ push: any RenderedPush, authorization: AuthorizationValue, authority: String
    ) -> HTTP2RequestTemplate?

    /// Interprets an answer other than 200, with the required reaction. The input is untrusted.
    func rejection(status: UInt16, _ details: HTTP2AnswerDetails) -> (Rejection, AnswerReaction)
}

extension PushDialect {
    /// The engine's defaults.
    public var answerLimits: HTTP2Limits { HTTP2Limits() }
}

/// The reactions that an answer requires besides its push's outcome.
public struct AnswerReaction: OptionSet, Sendable {
    /// The union of the reactions' bits.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The authorization is too old, and a new one is required.
    public static let renewAuthorization = AnswerReaction(rawValue: 1)
    /// The authorization was changed too often, so it must be kept for a while.
    public static let keepAuthorization = AnswerReaction(rawValue: 2)
    /// This connection accepts no more requests, and another one is required.
    public static let leaveConnection = AnswerReaction(rawValue: 4)
}

/// A push to an address that no device has. It checks that the provider is reachable and accepts the credential,
/// without a visible effect.
public struct ProbePush: Sendable {
    /// The push, created by its provider.
    public let push: any RenderedPush
    /// The bytes of a token that no device has.
    public let address: [UInt8]

    public init(_ push: any RenderedPush, address: [UInt8]) {
        self.push = push
        self.address = address
    }
}
