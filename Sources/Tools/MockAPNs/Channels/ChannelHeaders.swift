import MockKit

/// The parsed header fields of a request about a channel, with their rejections.
struct ChannelHeaders {
    private(set) var rejections = Rejections(.missingProviderToken)
    private(set) var method = ""
    private(set) var path = ""
    /// The value of `apns-channel-id`; nil without the header.
    private(set) var channel: String?
    /// The value of `apns-request-id` if it is valid, otherwise empty.
    private(set) var requestIdentifier: [UInt8] = []
    private(set) var hasPushType = false
    private(set) var pushType: MockPushType?
    private(set) var topic: PushTopic?
    private(set) var priority: PushPriority?
    /// The value of `apns-expiration`; nil if it is missing or invalid.
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

    /// Checks the headers as those of a push to a channel.
    mutating func checkPublish() {
        if method != "POST" { insert(.methodNotAllowed) }
        if channel == nil { insert(.missingChannelID) }
        if pushType != .liveActivity { insert(hasPushType ? .invalidPushType : .missingPushType) }
        if expiration == nil { insert(.badExpirationDate) }
        // Without a topic, the path identifies the app.
        if let topic, !topic.isOurApp { insert(.topicMismatch) }
    }
}
