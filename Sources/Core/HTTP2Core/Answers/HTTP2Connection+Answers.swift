import FlatMemory

/// Header blocks and bodies of answers.
extension HTTP2Connection {
    mutating func headersReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard isKnown(header.stream) else {
            return fail(HTTP2ErrorCode.protocolError, "HEADERS on an idle stream")
        }
        guard let fragment = unpadded(header, content) else { return }
        guard header.has(FrameFlag.endHeaders) else {
            openBlock = header
            continuations = 0
            headerBlock.removeAll()
            return headerBlock.append(contentsOf: fragment.assumingMemoryBound(to: UInt8.self))
        }
        blockReceived(header, fragment)
    }

    mutating func continuationReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard let opening = openBlock else {
            return fail(HTTP2ErrorCode.protocolError, "CONTINUATION without HEADERS")
        }
        continuations += 1
        headerBlock.append(contentsOf: content.assumingMemoryBound(to: UInt8.self))
        guard headerBlock.count <= HTTP2Connection.headerBlockLimit,
            continuations <= HTTP2Connection.continuationLimit
        else { return fail(HTTP2ErrorCode.enhanceYourCalm, "a header block without end") }
        guard header.has(FrameFlag.endHeaders) else { return }
        openBlock = nil
        blockReceived(opening, UnsafeRawBufferPointer(headerBlock.all))
    }

    private mutating func blockReceived(_ header: FrameHeader, _ block: UnsafeRawBufferPointer) {
        var fields = AnswerFields()
        guard inflater.inflate(block, each: { fields.fieldReceived($0, $1) }) else {
            return fail(HTTP2ErrorCode.compressionError, "a header block cannot be decoded")
        }
        // The peer may still answer a stream that was cancelled.
        guard let place = streams.find(header.stream) else { return }
        let endsStream = header.has(FrameFlag.endStream)
        if fields.isMalformed { return reset(place, HTTP2ErrorCode.protocolError) }
        if streams[place].status != 0 {
            // Trailers (RFC 9113, section 8.1).
            guard endsStream, fields.status == nil else { return reset(place, HTTP2ErrorCode.protocolError) }
            return endReceived(place)
        }
        guard let status = fields.status else { return reset(place, HTTP2ErrorCode.protocolError) }
        if (100..<200).contains(status) {
            guard !endsStream, status != 101 else { return reset(place, HTTP2ErrorCode.protocolError) }
            return
        }
        streams[place].status = status
        if let length = fields.contentLength {
            streams[place].promised = UInt32(min(length, Int(StreamRecord.open) - 1))
        }
        if !streams[place].isAccepted, fields.retryAfter != nil {
            streams[place].hasDetails = true
            details[header.stream] = HTTP2AnswerDetails(retryAfter: fields.retryAfter)
        }
        if endsStream { endReceived(place) }
    }

    mutating func dataReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        guard isKnown(header.stream) else { return fail(HTTP2ErrorCode.protocolError, "DATA on an idle stream") }
        receiveRoom -= content.count
        guard receiveRoom >= 0 else {
            return fail(HTTP2ErrorCode.flowControlError, "more DATA than the connection's window")
        }
        guard let body = unpadded(header, content) else { return }
        giveBack(content.count)
        guard let place = streams.find(header.stream) else { return }
        let record = streams[place]
        guard record.status != 0 else { return reset(place, HTTP2ErrorCode.protocolError) }
        streams[place].received += UInt32(body.count)
        if !record.isAccepted, !body.isEmpty { keep(body, of: place) }
        if header.has(FrameFlag.endStream) {
            endReceived(place)
        } else if streams[place].received > limits.body {
            // The rest of an answer longer than any provider's is not needed.
            answered(place, cutOff: HTTP2ErrorCode.cancel)
        }
    }

    private mutating func endReceived(_ place: Int) {
        let record = streams[place]
        guard record.promised == StreamRecord.open || record.promised == record.received else {
            return reset(place, HTTP2ErrorCode.protocolError)
        }
        answered(place)
    }

    /// Ends a stream with an answer that is complete, or complete enough.
    /// - Parameters:
    ///   - cutOff: The error code for the peer if its stream is still open.
    mutating func answered(_ place: Int, cutOff: UInt32? = nil) {
        let record = streams[place]
        // The answer came before the request body was sent; the rest is not needed.
        if record.body != StreamRecord.sent { bodies.remove(record.body) }
        if cutOff != nil || record.body != StreamRecord.sent {
            reply()
            writeReset(record.identifier, cutOff ?? HTTP2ErrorCode.cancel)
        }
        streams.remove(at: place)
        happened.append(
            record.isAccepted
                ? .accepted(tag: record.tag)
                : .answered(tag: record.tag, status: record.status, details: record.identifier))
    }

    private mutating func keep(_ body: UnsafeRawBufferPointer, of place: Int) {
        let stream = streams[place].identifier
        streams[place].hasDetails = true
        let room = limits.keptBody - (details[stream]?.body.count ?? 0)
        details[stream, default: HTTP2AnswerDetails()].body.append(contentsOf: body.prefix(room))
    }

    /// Returns the connection's window in large steps (RFC 9113, section 6.9).
    private mutating func giveBack(_ count: Int) {
        consumed += count
        guard consumed >= HTTP2Connection.receiveWindow / 2 else { return }
        writeWindowUpdate(stream: 0, UInt32(consumed))
        receiveRoom += consumed
        consumed = 0
    }

    /// The content without padding and priority. If they do not fit, it fails the connection and returns nil.
    private mutating func unpadded(
        _ header: FrameHeader, _ content: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer? {
        var start = 0
        var padding = 0
        if header.has(FrameFlag.padded) {
            guard let length = content.first else {
                fail(HTTP2ErrorCode.frameSizeError, "a padded frame without the padding's length")
                return nil
            }
            start = 1
            padding = Int(length)
        }
        if header.type == FrameType.headers, header.has(FrameFlag.priority) { start += 5 }
        guard start + padding <= content.count else {
            let code = start > content.count ? HTTP2ErrorCode.frameSizeError : HTTP2ErrorCode.protocolError
            fail(code, "more padding than content")
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: content[start..<(content.count - padding)])
    }
}
