import LiveActivity
public import TimeCore

/// The meaning of an answer about channels.
public enum ChannelAnswer: Hashable, Sendable {
    /// The channel with this id was made.
    case created(String)
    /// The channel is deleted.
    case deleted
    /// The channel does not exist: it was deleted before.
    case gone
    /// The ids of all channels of the app.
    case listed([String])
    /// The app has as many channels as it may have.
    case limitReached
    /// The app lacks the capability.
    case featureOff
    /// The provider token is too old; the next one may be accepted.
    case tokenExpired
    /// The key is refused, for the reason.
    case credentialRefused(String)
    /// The provider is busy or in trouble. The request may be repeated after this time at the earliest.
    case later(String, after: TimeInterval)
    /// There is no answer for this reason. The request may have been carried out.
    case unanswered(String)
    /// The request failed, and a repetition would get the same answer.
    case failed(String)

    /// Reads an answer.
    /// - Parameters:
    ///   - channel: The answer's field `ChannelRequest.channelField`.
    ///   - body: The unchecked body of the answer.
    ///   - retryAfter: The answer's `Retry-After`.
    public init(
        to request: ChannelRequest, status: UInt16, channel: String?, body: [UInt8], retryAfter: TimeInterval?
    ) {
        switch (request, status) {
        case (.create, 200...299):
            guard let channel, ChannelRequest.isChannel(channel) else {
                self = .failed("the channel was created, but its id is unreadable")
                return
            }
            self = .created(channel)
        case (.delete, 200...299): self = .deleted
        case (.list, 200...299):
            self = ChannelAnswer.channels(in: body).map(ChannelAnswer.listed) ?? .failed("the list is unreadable")
        default: self = ChannelAnswer.refusal(of: request, status, body, retryAfter)
        }
    }

    private static func refusal(
        of request: ChannelRequest, _ status: UInt16, _ body: [UInt8], _ retryAfter: TimeInterval?
    ) -> ChannelAnswer {
        let reason = RejectionBody(body).reason ?? "status \(status)"
        switch reason {
        case "ChannelNotRegistered": return request.channel == nil ? .failed(reason) : .gone
        case "CannotCreateChannelConfig": return .limitReached
        case "FeatureNotEnabled": return .featureOff
        case "ExpiredProviderToken": return .tokenExpired
        default: break
        }
        switch status {
        case 403: return .credentialRefused(reason)
        // A 404 without a reason: nothing is at the path any more.
        case 404 where request.channel != nil && reason == "status 404": return .gone
        case 300...399, 408, 421, 429, 500...599:
            return .later(reason, after: min(retryAfter ?? .zero, .seconds(3600)))
        default: return .failed(reason)
        }
    }

    /// The ids in `{"channels":["…"]}`, without those that cannot be ids.
    private static func channels(in body: [UInt8]) -> [String]? {
        guard let document = try? JSONDocument(parsing: body, maximumDepth: 8),
            let list = try? document.root.member("channels"), list.kind == .array
        else { return nil }
        return list.elements.compactMap(\.string).filter(ChannelRequest.isChannel)
    }

    /// The name by which answers are counted.
    public var name: String {
        switch self {
        case .created, .deleted, .listed: "done"
        case .gone: "gone"
        case .limitReached: "limit"
        case .featureOff: "feature_off"
        case .tokenExpired, .credentialRefused: "credential"
        case .later: "later"
        case .unanswered: "unanswered"
        case .failed: "failed"
        }
    }
}
