public import Delivery
public import HTTP2Core

/// What a provider says over HTTP/2, and how it is asked. The client calls it when a broadcast's pushes begin and for
/// answers other than 200, never for a push that is accepted.
public protocol PushDialect: Sendable {
    /// The reasons of rejections that the provider documents, each once: metrics tell these apart.
    var reasons: [String] { get }
    /// The most bytes of an address: room is kept for so many with each push.
    var longestToken: Int { get }
    /// How much is kept of an answer.
    var answerLimits: HTTP2Limits { get }

    /// What the requests of one job are made from; nil when there can be none, because the push is another provider's
    /// or too large.
    func request(
        _ push: any RenderedPush, authorization: AuthorizationValue, authority: String
    ) -> HTTP2RequestTemplate?

    /// What an answer other than 200 means, and what the client has to do about it besides. The bytes come from
    /// outside.
    func rejection(status: UInt16, _ details: HTTP2AnswerDetails) -> (Rejection, AnswerReaction)
}

extension PushDialect {
    /// As the engine has them.
    public var answerLimits: HTTP2Limits { HTTP2Limits() }
}

/// What an answer calls for, beyond what becomes of its push.
public struct AnswerReaction: OptionSet, Sendable {
    /// The sum of the reactions' bits.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The authorization is too old: the next one is wanted.
    public static let renewAuthorization = AnswerReaction(rawValue: 1)
    /// The authorization was changed too often: the one in use is kept for a while.
    public static let keepAuthorization = AnswerReaction(rawValue: 2)
    /// This connection serves no more: another one does.
    public static let leaveConnection = AnswerReaction(rawValue: 4)
}

/// A push to an address that is nobody's: it tells whether a provider can be reached and takes the credential, and no
/// phone shows anything.
public struct ProbePush: Sendable {
    /// Made by the provider that sends it.
    public let push: any RenderedPush
    /// The bytes of a token that no device has.
    public let address: [UInt8]

    public init(_ push: any RenderedPush, address: [UInt8]) {
        self.push = push
        self.address = address
    }
}
