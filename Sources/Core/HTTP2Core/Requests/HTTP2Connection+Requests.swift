import FlatMemory

/// Outgoing requests.
extension HTTP2Connection {
    /// Sets the template of later requests with this index; nil removes it. Requests in progress are not affected.
    /// - Parameter index: From 0 up, densely.
    public mutating func setTemplate(_ template: HTTP2RequestTemplate?, at index: Int) {
        while templates.count <= index {
            templates.append(nil)
            forms.append(RequestForm())
        }
        templates[index] = template
        forms[index] = template?.form ?? RequestForm()
        for place in 0..<HTTP2Connection.imageCount
        where images[place].base != nil && images[place].template == UInt32(index) {
            images[place].deallocate()
            images[place] = .none
        }
    }

    /// Opens a stream with a request. A body that exceeds a window is sent gradually.
    /// - Parameters:
    ///   - index: The index of a template that was set.
    ///   - token: At most `HTTP2RequestTemplate.tokenLimit` bytes.
    ///   - number: The end of the identifier.
    ///   - tag: Comes back with the stream's events.
    /// - Returns: The stream's identifier; nil if `acceptsStreams` is false.
    public mutating func open(template index: Int, token: UnsafeRawBufferPointer, number: UInt32, tag: UInt32)
        -> UInt32?
    {
        guard acceptsStreams else { return nil }
        precondition(token.count <= HTTP2RequestTemplate.tokenLimit)
        let stream = nextStream
        nextStream += 2
        let template = UInt32(truncatingIfNeeded: index)
        let record = streams.insert(StreamRecord(identifier: stream, tag: tag))
        let image = images[place(template, token.count)]
        // A waiting body lacks its stream's window, otherwise no stream would be accepted. None is overtaken.
        guard image.isPlain, image.fits(template, token.count, table.version),
            image.bodyCount <= min(sendWindow, peerInitialWindow, peerFrameSize)
        else {
            openOtherwise(template, token, number, record)
            return stream
        }
        sendWindow -= image.bodyCount
        image.write(to: out.extend(by: image.count), stream: stream, token: token.baseAddress, number: number)
        return stream
    }

    /// Writes a request of any form. It renders a missing image and queues a body that must wait for a window.
    @inline(never)
    private mutating func openOtherwise(
        _ template: UInt32, _ token: UnsafeRawBufferPointer, _ number: UInt32, _ record: Int
    ) {
        let stream = streams[record].identifier
        let form = forms[Int(template)]
        let image = image(template, form.imageLength(token.count))
        let growth = form.bodyGrowth(token.count)
        let bodyCount = image.bodyCount + growth
        guard bodyCount <= min(sendWindow, peerInitialWindow, peerFrameSize) else {
            let target = out.extend(by: image.headersCount)
            image.writeHeaders(form.hole, to: target, stream: stream, token: token, number: number)
            let body = bodies.append(
                UnfinishedBody(stream: stream, sent: 0, window: peerInitialWindow),
                templates[Int(template)]?.body(with: token))
            streams[record].body = body
            return sendBodyIfPossible(body)
        }
        sendWindow -= bodyCount
        let target = out.extend(by: image.count + growth)
        image.writeHeaders(form.hole, to: target, stream: stream, token: token, number: number)
        image.writeBody(form.hole, to: target + image.headersCount, stream: stream, token: token)
    }

    /// Resets a stream with CANCEL; its tag gets no event. True if the peer may have received the whole request.
    public mutating func cancel(_ stream: UInt32) -> Bool {
        guard let place = streams.find(stream) else { return true }
        let isWritten = streams[place].body == StreamRecord.sent
        abandon(place, HTTP2ErrorCode.cancel)
        return isWritten
    }

    /// Completes the answer of a stream whose status has arrived; its event follows. Otherwise changes nothing and
    /// returns false.
    public mutating func settle(_ stream: UInt32) -> Bool {
        guard let place = streams.find(stream), streams[place].status != 0 else { return false }
        answered(place, cutOff: HTTP2ErrorCode.cancel)
        return true
    }

    /// True if the request was written completely, so that the peer may have processed it.
    public func isWritten(_ stream: UInt32) -> Bool {
        guard let place = streams.find(stream) else { return true }
        return streams[place].body == StreamRecord.sent
    }

    /// Sends a PING.
    public mutating func ping() {
        guard failure == nil else { return }
        pingCounter += 1
        pingsUnderWay += 1
        writePing(pingCounter, isAcknowledgment: false)
    }

    /// Resets a stream and removes it.
    mutating func abandon(_ place: Int, _ errorCode: UInt32) {
        writeReset(streams[place].identifier, errorCode)
        forget(place)
    }

    mutating func forget(_ place: Int) {
        let record = streams[place]
        if record.body != StreamRecord.sent { bodies.remove(record.body) }
        if record.hasDetails { details[record.identifier] = nil }
        streams.remove(at: place)
    }

    /// Sends waiting bodies, the oldest first, as far as windows and output allow. Afterwards the connection's window
    /// is exhausted, the output is full, or no unfinished body has a window of its own.
    mutating func sendBodies() {
        var place = bodies.first
        while place != SlotList.none, sendWindow > 0, out.count < HTTP2Connection.outputLimit, failure == nil {
            let next = bodies.next(after: place)
            sendBody(place)
            place = next
        }
    }

    /// Sends one body without visiting the others, because a peer can make many wait.
    mutating func sendBodyIfPossible(_ place: UInt32) {
        guard sendWindow > 0, out.count < HTTP2Connection.outputLimit, failure == nil else { return }
        sendBody(place)
    }

    private mutating func sendBody(_ place: UInt32) {
        let waiting = bodies[place]
        guard let body = bodies.body(of: place)?.bytes, let base = body.baseAddress else { return }
        var sent = waiting.sent
        var window = waiting.window
        while sent < body.count {
            let size = min(body.count - sent, window, sendWindow, peerFrameSize)
            guard size > 0 else { break }
            let isLast = sent + size == body.count
            let target = out.extend(by: FrameHeader.size + size)
            FrameHeader(
                length: size, type: FrameType.data, flags: isLast ? FrameFlag.endStream : 0, stream: waiting.stream
            ).write(to: target)
            (target + FrameHeader.size).copyMemory(from: base + sent, byteCount: size)
            sent += size
            window -= size
            sendWindow -= size
        }
        bodies[place].sent = sent
        bodies[place].window = window
        if sent == body.count {
            bodies.remove(place)
            if let record = streams.find(waiting.stream) { streams[record].body = StreamRecord.sent }
        }
    }

    /// The index of the image for a template and a length (`RequestForm.imageLength`).
    @inline(__always)
    private func place(_ template: UInt32, _ length: Int) -> Int {
        Int(template &* 5 &+ UInt32(truncatingIfNeeded: length)) & (HTTP2Connection.imageCount - 1)
    }

    /// Returns an image for the next request, rendered if none fits.
    private mutating func image(_ template: UInt32, _ length: Int) -> RequestImage {
        let place = place(template, length)
        if images[place].fits(template, length, table.version) { return images[place] }
        guard let source = templates[Int(template)] else { preconditionFailure("no template at \(template)") }
        images[place].deallocate()
        images[place] = RequestImage(template, source, length: length, table: &table)
        return images[place]
    }
}
