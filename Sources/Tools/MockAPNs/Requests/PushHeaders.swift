import MockKit

/// The parsed header fields of a push, with their rejections. One value is reused for all pushes to avoid allocations.
struct PushHeaders {
    private(set) var rejections = Rejections.ofNoHeaders
    private(set) var isPost = false
    private(set) var route = Route.rejected(.badPath)
    /// Lower-case hexadecimal.
    private(set) var token: [UInt8] = []
    private(set) var pushType: MockPushType?
    private var topic: PushTopic?
    private var priority: PushPriority?
    private var namesSeen = SeenHeaders()

    /// True for the token of 64 zeros, with which gateways test their credential.
    var isNobodys: Bool { token.count == 64 && token.allSatisfy { $0 == UInt8(ascii: "0") } }

    /// Discards the previous request and parses this one.
    /// - Parameter identifier: Called with the value of a valid `apns-id`.
    mutating func read(
        _ request: MockRequest, _ checks: HeaderChecks, identifier: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        forget()
        request.fields.forEach(HeaderName.all) { number, value in
            guard let name = HeaderName(rawValue: number) else { return }
            guard namesSeen.insert(name) else { return rejections.insert(.duplicateHeaders) }
            if let rejection = check(name, value, checks, identifier) { rejections.insert(rejection) }
        }
        checkRoute()
        checkPushType()
    }

    private mutating func forget() {
        rejections = .ofNoHeaders
        isPost = false
        route = .rejected(.badPath)
        token.removeAll(keepingCapacity: true)
        pushType = nil
        topic = nil
        priority = nil
        namesSeen = SeenHeaders()
    }

    mutating func insert(_ rejection: Rejection) {
        rejections.insert(rejection)
    }

    private mutating func check(
        _ name: HeaderName, _ value: UnsafeBufferPointer<UInt8>, _ checks: HeaderChecks,
        _ identifier: (UnsafeBufferPointer<UInt8>) -> Void
    ) -> Rejection? {
        switch name {
        case .method: isPost = RequestRouter.isPost(value)
        case .path:
            route = RequestRouter.route(path: value)
            guard case .device(let range) = route else { return nil }
            for byte in value[range] { token.append(byte >= UInt8(ascii: "A") ? byte | 0x20 : byte) }
        case .authorization: rejections.remove(.missingProviderToken)
        case .apnsPushType:
            rejections.remove(.invalidPushType)
            pushType = MockPushType(value)
            return pushType == nil ? .invalidPushType : nil
        case .apnsTopic:
            rejections.remove(.missingTopic)
            topic = checks.topic(value)
        case .apnsPriority:
            priority = checks.priority(value)
            return priority == nil ? .badPriority : nil
        case .apnsExpiration: return checks.expiration(value)
        case .apnsCollapseID: return checks.collapseIdentifier(value)
        case .apnsID:
            if let rejection = checks.identifier(value) { return rejection }
            identifier(value)
        case .other, .scheme, .authority, .apnsChannelID, .apnsRequestID, .contentLength, .contentType, .userAgent:
            break
        }
        return nil
    }

    private mutating func checkRoute() {
        if case .rejected(let rejection) = route {
            rejections.insert(rejection)
        } else if !isPost {
            rejections.insert(.methodNotAllowed)
        }
    }

    /// Checks topic and priority against the push type, which may follow them.
    private mutating func checkPushType() {
        guard let type = pushType else { return }
        if let rejection = topic?.rejection(for: type) { rejections.insert(rejection) }
        if !(priority ?? .immediate).isAllowed(for: type) { rejections.insert(.badPriority) }
    }
}
