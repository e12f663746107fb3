import CNghttp2
import Reactor
import TimeCore

extension ServerConnection {
    func headersBegun(stream id: Int32) {
        // Trailers belong to a stream that is known already.
        guard !isEnding, stream(id) == nil else { return }
        let stream: RequestStream
        if let free = freeStreams.popLast() {
            stream = free
        } else {
            stream = RequestStream()
            streams.append(stream)
        }
        streamsBegun += 1
        stream.begin(id: id, ordinal: streamsBegun)
        nghttp2_session_set_stream_user_data(session, id, Unmanaged.passUnretained(stream).toOpaque())
        current = stream
        stream.isHeld = goAway.streamBegun(stream, &server.runner, generation: server.scriptGeneration)
    }

    func headerReceived(
        stream id: Int32, _ spelling: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) {
        guard let stream = stream(id), !stream.isComplete else { return }
        let name = HeaderName(spelling)
        if server.journal.keepsEntries { stream.headers.append(name, spelling, value) }
        guard name != .other else { return }
        guard stream.markSeen(name) else { return stream.rejections.insert(.duplicateHeaders) }
        if let rejection = check(name, value, stream) { stream.rejections.insert(rejection) }
    }

    private func check(
        _ name: HeaderName, _ value: UnsafeBufferPointer<UInt8>, _ stream: RequestStream
    ) -> Rejection? {
        let checks = server.headerChecks
        switch name {
        case .method:
            stream.isPost = RequestRouter.isPost(value)
            return nil
        case .path:
            stream.route = RequestRouter.route(path: value)
            guard case .device(let token) = stream.route else { return nil }
            for byte in value[token] { stream.token.append(byte >= UInt8(ascii: "A") ? byte | 0x20 : byte) }
            return nil
        case .authorization:
            stream.rejections.remove(.missingProviderToken)
            stream.providerToken = server.providerTokens.entry(for: value)
            return nil
        case .apnsPushType:
            stream.rejections.remove(.invalidPushType)
            stream.pushType = MockPushType(value)
            return stream.pushType == nil ? .invalidPushType : nil
        case .apnsTopic:
            stream.rejections.remove(.missingTopic)
            stream.topic = checks.topic(value)
            return nil
        case .apnsPriority:
            stream.priority = checks.priority(value)
            return stream.priority == nil ? .badPriority : nil
        case .apnsExpiration: return checks.expiration(value)
        case .apnsCollapseID: return checks.collapseIdentifier(value)
        case .apnsID:
            if let rejection = checks.identifier(value) { return rejection }
            stream.setIdentifier(value)
            return nil
        case .other, .scheme, .authority, .contentLength, .contentType, .userAgent: return nil
        }
    }

    func dataReceived(stream id: Int32, _ chunk: UnsafeBufferPointer<UInt8>) {
        guard let stream = stream(id), !stream.isComplete else { return }
        stream.append(payload: chunk)
    }

    func requestCompleted(_ stream: RequestStream) {
        guard !isEnding, !stream.isComplete else { return }
        stream.isComplete = true
        if !stream.isHeld {
            if !stream.hasIdentifier { stream.makeIdentifier(&server.random) }
            checkRoute(stream)
            checkPushType(stream)
            checkProviderToken(stream)
            if !stream.isNobodys { pushes += 1 }
            let delay = server.process(stream, on: self)
            limits.pushReceived(count: pushes)
            announceStreamLimit()
            if delay == .zero {
                carryOut(stream)
            } else {
                server.delay(stream, on: self, by: delay)
            }
        }
        if let plan = goAway.streamCompleted(stream) {
            sendGoAway(plan)
        } else if stream.isHeld {
            server.reactor.schedule(after: ServerConnection.goAwayPatience) { [weak self] in
                guard let self, !isEnding, let plan = goAway.patienceEnded() else { return }
                sendGoAway(plan)
            }
        }
    }

    /// So long streams are held for a GOAWAY that further ones were to bring on.
    private static let goAwayPatience = TimeInterval.seconds(1)

    private func checkRoute(_ stream: RequestStream) {
        if case .rejected(let rejection) = stream.route {
            stream.rejections.insert(rejection)
        } else if !stream.isPost {
            stream.rejections.insert(.methodNotAllowed)
        }
    }

    /// What may stand beside a push's type, which may come after it.
    private func checkPushType(_ stream: RequestStream) {
        guard let type = stream.pushType else { return }
        if let rejection = stream.topic?.rejection(for: type) { stream.rejections.insert(rejection) }
        if !(stream.priority ?? .immediate).isAllowed(for: type) { stream.rejections.insert(.badPriority) }
    }

    private func checkProviderToken(_ stream: RequestStream) {
        guard let token = stream.providerToken else { return }
        guard case .issued(let issued) = token.verdict else { return stream.rejections.insert(.invalidProviderToken) }
        let rules = server.runner.script.providerTokens
        let age = server.epochMilliseconds() / 1_000 - issued
        guard age <= Int64(rules.lifetime.inSeconds), -age <= Int64(rules.allowedSkew.inSeconds) else {
            return stream.rejections.insert(.expiredProviderToken)
        }
        if let current = providerToken, current.number != token.number, let interval = rules.renewalInterval,
            server.reactor.now - current.since < interval
        {
            return stream.rejections.insert(.tooManyProviderTokenUpdates)
        }
        if providerToken?.number != token.number { providerToken = (token.number, server.reactor.now) }
        stream.hasValidProviderToken = true
    }

    private func sendGoAway(_ plan: MockScript.GoAway) {
        if plan.lastStream == .maximum {
            nghttp2_submit_shutdown_notice(session)
        } else {
            var last = nghttp2_session_get_last_proc_stream_id(session)
            if case .minus = plan.lastStream { last = min(last, goAway.lastProcessed) }
            let text = plan.reason.map { Answer(status: 0, reason: $0) }
            nghttp2_submit_goaway(
                session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, plan.errorCode, text?.body.baseAddress,
                text?.body.count ?? 0)
        }
        requestFlush()
    }
}
