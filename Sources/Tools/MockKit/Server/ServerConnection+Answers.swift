import CNghttp2

extension ServerConnection {
    /// Sends a delayed answer, unless its stream has ended.
    func answerDue(stream id: Int32) {
        guard let stream = stream(id) else { return }
        carryOut(stream)
        if stream.answerIsSubmitted, let index = stream.recordIndex { server.journal.setSent(index, true) }
    }

    /// Carries out the decision on the request.
    func carryOut(_ stream: MockRequest) {
        switch stream.outcome {
        case .answer(let answer): submit(answer, stream)
        case .reset where session == nil: close(abruptly: true)
        case .reset(let code):
            nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code)
            requestFlush()
        case .close(let abruptly): close(abruptly: abruptly)
        case .silence, nil: return
        }
    }

    private func submit(_ answer: Answer, _ stream: MockRequest) {
        stream.answer = answer
        stream.answerIsSubmitted = true
        guard session != nil else { return submitHTTP1(answer, stream) }
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 2 + answer.fields.count) { fields in
            var count = 0
            func add(_ field: nghttp2_nv) {
                fields.initializeElement(at: count, to: field)
                count += 1
            }
            add(Self.field(Self.statusName, answer.statusText))
            if let name = stream.ownName ?? server.service.ownFieldName, stream.ownValueLength > 0 {
                let value = UnsafeBufferPointer(start: stream.ownValue, count: stream.ownValueLength)
                add(Self.field(name, value, isIndexed: false))
            }
            for (name, value) in answer.fields { add(Self.field(name, value)) }
            if answer.body.isEmpty, stream.ownBody.isEmpty {
                nghttp2_submit_response(session, stream.id, fields.baseAddress, count, nil)
            } else {
                var source = nghttp2_data_provider()
                source.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
                source.read_callback = HTTP2Callbacks.readBody
                nghttp2_submit_response(session, stream.id, fields.baseAddress, count, &source)
            }
        }
        limits.requestAnswered(isAccepted: answer.status == 200, hasValidCredential: stream.hasValidCredential)
        announceStreamLimit()
        requestFlush()
    }

    private static let statusName: StaticString = ":status"

    /// Refers to the bytes without a copy. They live until the stream has ended, which is after its last frame.
    private static func field(
        _ name: StaticString, _ value: UnsafeBufferPointer<UInt8>, isIndexed: Bool = true
    ) -> nghttp2_nv {
        var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        // The value differs with each answer, so an entry in the client's table would only evict others.
        if !isIndexed { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
        return nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start),
            value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.utf8CodeUnitCount,
            valuelen: value.count, flags: UInt8(truncatingIfNeeded: flags))
    }
}
