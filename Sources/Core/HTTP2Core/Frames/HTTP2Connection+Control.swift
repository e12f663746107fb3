import FlatMemory

/// Frames that control the connection or the state of a stream.
extension HTTP2Connection {
    mutating func settingsReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard header.stream == 0 else { return fail(HTTP2ErrorCode.protocolError, "SETTINGS on a stream") }
        if header.has(FrameFlag.acknowledgment) {
            guard content.isEmpty else { return fail(HTTP2ErrorCode.frameSizeError, "SETTINGS ACK with content") }
            guard settingsDeadline != nil else {
                return fail(HTTP2ErrorCode.protocolError, "SETTINGS ACK without pending SETTINGS")
            }
            settingsDeadline = nil
            return
        }
        guard content.count % 6 == 0 else { return fail(HTTP2ErrorCode.frameSizeError, "SETTINGS of a wrong size") }
        hasPeerSettings = true
        var initialWindow = peerInitialWindow
        for offset in stride(from: 0, to: content.count, by: 6) {
            let identifier = UInt16(bigEndian: content.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let value = UInt32(bigEndian: content.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
            set(identifier, value)
            if identifier == SettingIdentifier.initialWindowSize { initialWindow = Int(value) }
            if failure != nil { return }
        }
        // Only the last of several windows counts, because each change walks all unfinished bodies.
        let hasGrown = initialWindow > peerInitialWindow
        if initialWindow != peerInitialWindow { initialWindowChanged(initialWindow) }
        if failure != nil { return }
        // The new header table size counts from our next block on, which follows this acknowledgment.
        writeSettingsAcknowledgment()
        if failure != nil { return }
        happened.append(.settings(maximumConcurrentStreams: peerLimit))
        if hasGrown { sendBodies() }
    }

    private mutating func set(_ identifier: UInt16, _ value: UInt32) {
        switch identifier {
        case SettingIdentifier.headerTableSize: table.limitReceived(Int(value))
        case SettingIdentifier.enablePush:
            if value != 0 { fail(HTTP2ErrorCode.protocolError, "SETTINGS_ENABLE_PUSH of a server") }
        case SettingIdentifier.maximumConcurrentStreams: peerLimit = value
        case SettingIdentifier.initialWindowSize:
            if value > HTTP2Connection.largestWindow {
                fail(HTTP2ErrorCode.flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE \(value)")
            }
        case SettingIdentifier.maximumFrameSize:
            guard (16_384...0xFF_FFFF).contains(value) else {
                return fail(HTTP2ErrorCode.protocolError, "SETTINGS_MAX_FRAME_SIZE \(value)")
            }
            peerFrameSize = Int(value)
        default: break
        }
    }

    /// The change counts for streams that are open as well (RFC 9113, section 6.9.2).
    private mutating func initialWindowChanged(_ window: Int) {
        let difference = window - peerInitialWindow
        peerInitialWindow = window
        var place = bodies.first
        while place != SlotList.none {
            bodies[place].window += difference
            if bodies[place].window > HTTP2Connection.largestWindow {
                return fail(HTTP2ErrorCode.flowControlError, "a stream's window over 2^31 - 1")
            }
            place = bodies.next(after: place)
        }
    }

    mutating func windowUpdateReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard content.count == 4 else {
            return fail(HTTP2ErrorCode.frameSizeError, "WINDOW_UPDATE of a wrong size")
        }
        let increment = Int(UInt32(bigEndian: content.loadUnaligned(as: UInt32.self)) & 0x7FFF_FFFF)
        if header.stream == 0 {
            guard increment > 0 else { return fail(HTTP2ErrorCode.protocolError, "WINDOW_UPDATE by 0") }
            let wasShut = sendWindow == 0
            sendWindow += increment
            guard sendWindow <= HTTP2Connection.largestWindow else {
                return fail(HTTP2ErrorCode.flowControlError, "a connection's window over 2^31 - 1")
            }
            // Otherwise bodies wait for something else.
            if wasShut { sendBodies() }
        } else {
            guard isKnown(header.stream) else {
                return fail(HTTP2ErrorCode.protocolError, "WINDOW_UPDATE on an idle stream")
            }
            guard let place = streams.find(header.stream) else { return }
            guard increment > 0 else { return reset(place, HTTP2ErrorCode.protocolError) }
            let body = streams[place].body
            guard body != StreamRecord.sent else { return }
            bodies[body].window += increment
            guard bodies[body].window <= HTTP2Connection.largestWindow else {
                return reset(place, HTTP2ErrorCode.flowControlError)
            }
            sendBodyIfPossible(body)
        }
    }

    mutating func pingReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard header.stream == 0 else { return fail(HTTP2ErrorCode.protocolError, "PING on a stream") }
        guard content.count == 8 else { return fail(HTTP2ErrorCode.frameSizeError, "PING of a wrong size") }
        let value = content.loadUnaligned(as: UInt64.self)
        guard header.has(FrameFlag.acknowledgment) else {
            reply()
            if failure == nil { writePing(value, isAcknowledgment: true) }
            return
        }
        guard pingsUnderWay > 0, value == pingCounter else { return }
        pingsUnderWay = 0
        happened.append(.pingAcknowledged)
    }

    /// A peer may send GOAWAY twice: first to announce its end, then with the last stream (RFC 9113, section 6.8).
    mutating func goAwayReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard header.stream == 0 else { return fail(HTTP2ErrorCode.protocolError, "GOAWAY on a stream") }
        guard content.count >= 8 else { return fail(HTTP2ErrorCode.frameSizeError, "GOAWAY of a wrong size") }
        let last = UInt32(bigEndian: content.loadUnaligned(as: UInt32.self)) & 0x7FFF_FFFF
        let errorCode = UInt32(bigEndian: content.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard last == 0 || last % 2 == 1 else {
            return fail(HTTP2ErrorCode.protocolError, "GOAWAY names a stream that a client cannot open")
        }
        guard last <= goAwayLast ?? HTTP2Connection.largestStream else {
            return fail(HTTP2ErrorCode.protocolError, "GOAWAY names a higher stream than before")
        }
        let isNews = last < goAwayLast ?? .max
        goAwayLast = last
        for stream in isNews ? streams.identifiers(where: { $0 > last }) : [] {
            guard let place = streams.find(stream) else { continue }
            // A stream with a status has its answer, so its request is not repeated.
            guard streams[place].status == 0 else {
                answered(place)
                continue
            }
            happened.append(.reset(tag: streams[place].tag, errorCode: HTTP2ErrorCode.refusedStream))
            forget(place)
        }
        happened.append(.goAway(errorCode: errorCode))
    }

    mutating func resetReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard content.count == 4 else { return fail(HTTP2ErrorCode.frameSizeError, "RST_STREAM of a wrong size") }
        guard isKnown(header.stream) else {
            return fail(HTTP2ErrorCode.protocolError, "RST_STREAM on an idle stream")
        }
        guard let place = streams.find(header.stream) else { return }
        // The status decides the outcome, even if the rest of the answer is lost.
        guard streams[place].status == 0 else { return answered(place) }
        let errorCode = UInt32(bigEndian: content.loadUnaligned(as: UInt32.self))
        happened.append(.reset(tag: streams[place].tag, errorCode: errorCode))
        forget(place)
    }

    mutating func priorityReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard header.stream != 0 else { return fail(HTTP2ErrorCode.protocolError, "PRIORITY on no stream") }
        guard content.count == 5 else {
            return fail(HTTP2ErrorCode.frameSizeError, "PRIORITY of a wrong size")
        }
    }

    /// Ends a stream that the peer has broken a rule on (RFC 9113, section 5.4.2). A status that came before counts.
    mutating func reset(_ place: Int, _ errorCode: UInt32) {
        guard streams[place].status == 0 else { return answered(place, cutOff: errorCode) }
        reply()
        happened.append(.reset(tag: streams[place].tag, errorCode: errorCode))
        abandon(place, errorCode)
    }

    /// True if this connection has opened the stream, even if it is closed by now.
    func isKnown(_ stream: UInt32) -> Bool {
        stream % 2 == 1 && stream < nextStream
    }
}
