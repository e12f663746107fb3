import FlatMemory
public import TimeCore

/// Bytes from the peer, cut into frames.
extension HTTP2Connection {
    /// Takes bytes from the peer, cut anywhere. Their meaning is in `events` afterwards.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: MonotonicTime) {
        var rest = bytes
        if !partial.isEmpty { completePartial(&rest) }
        while failure == nil, let base = rest.baseAddress, rest.count >= FrameHeader.size {
            let header = FrameHeader(base)
            guard isAcceptable(header) else { break }
            let size = FrameHeader.size + header.length
            guard rest.count >= size else { break }
            frameReceived(header, UnsafeRawBufferPointer(start: base + FrameHeader.size, count: header.length))
            rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        }
        if failure == nil { partial.append(contentsOf: rest.assumingMemoryBound(to: UInt8.self)) }
        if failure == nil { check(now) }
    }

    /// Completes the frame of which a part came before, as far as `rest` goes.
    private mutating func completePartial(_ rest: inout UnsafeRawBufferPointer) {
        take(&rest, upTo: FrameHeader.size)
        guard partial.count >= FrameHeader.size, let base = UnsafeRawPointer(partial.all.baseAddress) else { return }
        let header = FrameHeader(base)
        guard isAcceptable(header) else { return }
        take(&rest, upTo: FrameHeader.size + header.length)
        // Taking may have moved the memory.
        guard partial.count == FrameHeader.size + header.length, let start = UnsafeRawPointer(partial.all.baseAddress)
        else { return }
        frameReceived(header, UnsafeRawBufferPointer(start: start + FrameHeader.size, count: header.length))
        partial.removeAll()
    }

    private mutating func take(_ rest: inout UnsafeRawBufferPointer, upTo size: Int) {
        let count = max(0, min(rest.count, size - partial.count))
        partial.append(
            contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<count]).assumingMemoryBound(to: UInt8.self))
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }

    /// Checks a header alone, before the whole frame has arrived.
    private mutating func isAcceptable(_ header: FrameHeader) -> Bool {
        if !hasPeerSettings, header.type != FrameType.settings || header.has(FrameFlag.acknowledgment) {
            // A peer without HTTP/2 ends up here as well.
            fail(HTTP2ErrorCode.protocolError, "the first frame is not SETTINGS")
        } else if header.length > HTTP2Connection.maximumFrameSize {
            fail(HTTP2ErrorCode.frameSizeError, "a frame of \(header.length) bytes")
        } else if let openBlock, header.type != FrameType.continuation || header.stream != openBlock.stream {
            fail(HTTP2ErrorCode.protocolError, "a header block is interrupted")
        }
        return failure == nil
    }

    @inline(__always)
    private mutating func frameReceived(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        if header.type == FrameType.headers, accepted(header, content) || beganAsAccepted(header, content) { return }
        dispatch(header, content)
    }

    /// Nearly every answer: status 200, nothing else that matters, in one frame.
    @inline(__always)
    private mutating func accepted(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) -> Bool {
        guard header.flags == FrameFlag.endStream | FrameFlag.endHeaders, content.count > 0,
            content[0] == HTTP2Connection.indexedStatus200, let place = streams.find(header.stream)
        else { return false }
        let record = streams[place]
        guard record.awaitsStatusAlone, record.body == StreamRecord.sent else { return false }
        streams.remove(at: place)
        happened.append(.accepted(tag: record.tag))
        return true
    }

    /// The first frame of an answer that has a body. Only its status and its end matter. The block is not decoded,
    /// because a block that begins with an indexed field changes no state of the decoder, whose table is empty.
    private mutating func beganAsAccepted(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) -> Bool {
        guard header.flags == FrameFlag.endHeaders, content.count > 0,
            content[0] == HTTP2Connection.indexedStatus200, let place = streams.find(header.stream)
        else { return false }
        let record = streams[place]
        guard record.awaitsStatusAlone, record.body == StreamRecord.sent else { return false }
        streams[place].status = 200
        return true
    }

    private mutating func dispatch(_ header: FrameHeader, _ content: UnsafeRawBufferPointer) {
        switch header.type {
        case FrameType.data: dataReceived(header, content)
        case FrameType.headers: headersReceived(header, content)
        case FrameType.continuation: continuationReceived(header, content)
        case FrameType.resetStream: resetReceived(header, content)
        case FrameType.settings: settingsReceived(header, content)
        case FrameType.ping: pingReceived(header, content)
        case FrameType.goAway: goAwayReceived(header, content)
        case FrameType.windowUpdate: windowUpdateReceived(header, content)
        case FrameType.pushPromise: fail(HTTP2ErrorCode.protocolError, "PUSH_PROMISE although push is disabled")
        case FrameType.priority: priorityReceived(header, content)
        default: break
        }
    }

    /// `:status: 200` in the static table (RFC 7541, appendix A).
    private static var indexedStatus200: UInt8 { 0x88 }
}
