/// Payloads that were decoded. The pushes of a broadcast share theirs, so a million pushes are decoded a few times.
struct DecodedPushes: Sendable {
    typealias Outcome = Result<PushMessage, UndecodablePush>

    private let decoder: PushDecoder
    private var outcomes: [[UInt8]: Outcome] = [:]
    private var newest: (bytes: [UInt8], outcome: Outcome)?
    private static let capacity = 1024

    init(_ apps: [AppType]) { decoder = PushDecoder(apps) }

    mutating func outcome(apns payload: [UInt8]) -> Outcome {
        outcome(payload) { decoder throws(UndecodablePush) in try decoder.decode(apns: payload) }
    }

    /// Messages of a broadcast differ in the registration token alone, so they are kept without it.
    mutating func outcome(fcm body: [UInt8], token: String) -> Outcome {
        outcome(Self.cutting(token, from: body)) { decoder throws(UndecodablePush) in try decoder.decode(fcm: body) }
    }

    private mutating func outcome(
        _ key: [UInt8], _ decode: (PushDecoder) throws(UndecodablePush) -> PushMessage
    ) -> Outcome {
        if let newest, newest.bytes == key { return newest.outcome }
        let outcome: Outcome
        if let known = outcomes[key] {
            outcome = known
        } else {
            do throws(UndecodablePush) { outcome = .success(try decode(decoder)) } catch { outcome = .failure(error) }
            if outcomes.count == Self.capacity { outcomes = [:] }
            outcomes[key] = outcome
        }
        newest = (key, outcome)
        return outcome
    }

    private static func cutting(_ token: String, from body: [UInt8]) -> [UInt8] {
        let token = Array(token.utf8)
        guard !token.isEmpty, body.count >= token.count else { return body }
        for start in 0...body.count - token.count where body[start] == token[0] {
            let end = start + token.count
            if body[start..<end].elementsEqual(token) { return Array(body[..<start] + body[end...]) }
        }
        return body
    }
}
