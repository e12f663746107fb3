/// A cache of decoded payloads. The pushes of a broadcast share payloads, so each is decoded only once.
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

    /// Removes the token from the key, because the messages of a broadcast differ only in the token.
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
