@testable import HTTP2Core

/// The model that a walk is held against when it is over.
extension RandomWalk {
    func check() {
        failures += client.violations + server.complaints
        checkRequests()
        checkOutcomes()
        if let failure = client.connection.failure { failures.append("the connection has failed: \(failure)") }
        if client.openStreams != 0 { failures.append("\(client.openStreams) streams never end") }
        if client.connection.openStreams != 0 { failures.append("the table keeps \(client.connection.openStreams)") }
        if client.connection.bodies.count != 0 { failures.append("\(client.connection.bodies.count) bodies are left") }
        if !client.connection.details.isEmpty { failures.append("details of \(client.connection.details.keys)") }
    }

    private var tags: [UInt32: UInt32] {
        Dictionary(uniqueKeysWithValues: client.streams.map { ($0.value, $0.key) })
    }

    private func checkRequests() {
        let tags = tags
        for request in server.requests {
            guard let tag = tags[UInt32(request.stream)] else {
                failures.append("stream \(request.stream) was never opened")
                continue
            }
            let (kind, plan) = plans[Int(tag)]
            let fields = kind.fields(token: plan.token, number: plan.number)
            // A stream that the server has reset in the middle of its HEADERS gets no further.
            if request.hasAllFields ? request.fields != fields : !fields.starts(with: request.fields) {
                failures.append("stream \(request.stream) has other fields: \(request.fields)")
            }
            let body = kind.body(token: plan.token) ?? []
            if request.isComplete ? request.body != body : !body.starts(with: request.body) {
                failures.append("stream \(request.stream) has another body, of \(request.body.count) bytes")
            }
        }
    }

    private func checkOutcomes() {
        let expected = expectedOutcomes()
        for (tag, stream) in client.streams where !client.cancelled.contains(tag) {
            if client.outcomes[tag] != expected[stream] {
                failures.append(
                    "stream \(stream): \(String(describing: client.outcomes[tag])), not "
                        + "\(String(describing: expected[stream]))")
            }
        }
    }

    /// By stream, from the server's frames in the order in which they were sent.
    private func expectedOutcomes() -> [UInt32: Outcome] {
        var ended: [UInt32: Outcome] = [:]
        var answers: [UInt32: (status: UInt16, fields: [Field], body: [UInt8])] = [:]
        func end(_ stream: UInt32, _ outcome: Outcome?) {
            if ended[stream] == nil { ended[stream] = outcome }
        }
        func endOfAnswer(_ stream: UInt32) {
            guard let answer = answers[stream] else { return }
            if answer.status == 200 {
                return end(stream, .answered(status: 200, body: [], retryAfter: nil))
            }
            end(
                stream,
                .answered(
                    status: answer.status, body: Array(answer.body.prefix(1_024)),
                    retryAfter: answer.fields.first { $0.name == "retry-after" }.flatMap { UInt32($0.value) }))
        }
        for frame in server.sent {
            switch frame {
            case .answer(let stream, let status, let fields, let endsStream):
                answers[stream] = (status, fields, [])
                if endsStream { endOfAnswer(stream) }
            case .data(let stream, let bytes, let endsStream):
                answers[stream]?.body += bytes
                if endsStream { endOfAnswer(stream) }
            case .trailers(let stream): endOfAnswer(stream)
            case .reset(let stream, let code):
                // The status that came before counts.
                endOfAnswer(stream)
                end(stream, .reset(code: code))
            case .goAway(let last):
                for stream in client.streams.values where stream > last { end(stream, .reset(code: 7)) }
            }
        }
        return ended
    }
}
