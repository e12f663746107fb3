import MockKit

/// What the header fields of a request about a channel say, and what is wrong with each.
struct ChannelHeaders {
    private(set) var rejections = Rejections(.missingProviderToken)
    private(set) var method = ""
    private(set) var path = ""
    /// `apns-channel-id`; nil when there is none.
    private(set) var channel: String?
    /// `apns-request-id`, when it is good.
    private(set) var requestIdentifier: [UInt8] = []
    private(set) var hasPushType = false
    private(set) var pushType: MockPushType?
    private(set) var topic: PushTopic?
    private(set) var priority: PushPriority?
    /// Nil when there is none, or none that is good.
    private(set) var expiration: Int64?

    init(_ request: MockRequest, _ checks: HeaderChecks) {
        var seen = SeenHeaders()
        request.fields.forEach(HeaderName.all) { number, value in
            guard let name = HeaderName(rawValue: number) else { return }
            guard seen.insert(name) else { return rejections.insert(.duplicateHeaders) }
            if let rejection = read(name, value, checks) { rejections.insert(rejection) }
        }
    }

    mutating func insert(_ rejection: Rejection) {
        rejections.insert(rejection)
    }

    private mutating func read(
        _ name: HeaderName, _ value: UnsafeBufferPointer<UInt8>, _ checks: HeaderChecks
    ) -> Rejection? {
        switch name {
        case .method: method = String(decoding: value, as: UTF8.self)
        case .path: path = String(decoding: value, as: UTF8.self)
        case .authorization: rejections.remove(.missingProviderToken)
        case .apnsChannelID:
            let text = String(decoding: value, as: UTF8.self)
            channel = text
            return ChannelIdentifier.isWellFormed(text) ? nil : .badChannelID
        case .apnsRequestID:
            if let rejection = checks.identifier(value) { return rejection }
            requestIdentifier = Array(value)
        case .apnsPushType:
            hasPushType = true
            pushType = MockPushType(value)
        case .apnsTopic: topic = checks.topic(value)
        case .apnsPriority:
            priority = checks.priority(value)
            return priority?.isAllowed(for: .liveActivity) == true ? nil : .badPriority
        case .apnsExpiration:
            if let rejection = checks.expiration(value) { return rejection }
            expiration = Int64(String(decoding: value, as: UTF8.self))
        default: break
        }
        return nil
    }

    /// What is wrong with them as those of a push to a channel.
    mutating func checkPublish() {
        if method != "POST" { insert(.methodNotAllowed) }
        if channel == nil { insert(.missingChannelID) }
        if pushType != .liveActivity { insert(hasPushType ? .invalidPushType : .missingPushType) }
        if expiration == nil { insert(.badExpirationDate) }
        // Without a topic the path says which app it is.
        if let topic, !topic.isOurApp { insert(.topicMismatch) }
    }
}
