import APNsCore
import Delivery
import TestSupport
import Testing

@Suite("Reasons") struct RejectionReasonTests {
    /// The provider's documentation, restated: name, status, what to do.
    static let documented: [(String, UInt16, Disposition)] = [
        ("BadCollapseId", 400, .requestRefused), ("BadDeviceToken", 400, .quarantineToken),
        ("BadExpirationDate", 400, .requestRefused), ("BadMessageId", 400, .requestRefused),
        ("BadPriority", 400, .requestRefused), ("BadTopic", 400, .topicRefused),
        ("DeviceTokenNotForTopic", 400, .tokenOfAnotherTopic), ("DuplicateHeaders", 400, .requestRefused),
        ("IdleTimeout", 400, .newConnectionAndRetry), ("InvalidPushType", 400, .requestRefused),
        ("MissingDeviceToken", 400, .requestRefused), ("MissingTopic", 400, .requestRefused),
        ("PayloadEmpty", 400, .requestRefused), ("TopicDisallowed", 400, .topicRefused),
        ("BadCertificate", 403, .credentialBad), ("BadCertificateEnvironment", 403, .credentialBad),
        ("ExpiredProviderToken", 403, .renewProviderToken), ("Forbidden", 403, .credentialBad),
        ("InvalidProviderToken", 403, .credentialBad), ("MissingProviderToken", 403, .credentialBad),
        ("UnrelatedKeyIdInToken", 403, .newConnectionAndRetry), ("BadEnvironmentKeyIdInToken", 403, .credentialBad),
        ("BadPath", 404, .requestRefused), ("MethodNotAllowed", 405, .requestRefused),
        ("ExpiredToken", 410, .dropToken), ("Unregistered", 410, .dropToken),
        ("PayloadTooLarge", 413, .requestRefused), ("TooManyProviderTokenUpdates", 429, .keepProviderTokenAndWait),
        ("TooManyRequests", 429, .retryLater), ("InternalServerError", 500, .retryLater),
        ("ServiceUnavailable", 503, .retryLater), ("Shutdown", 503, .retryLater),
    ]

    @Test("Each documented reason has its status and disposition", arguments: documented)
    func table(_ name: String, _ status: UInt16, _ disposition: Disposition) {
        let reason = RejectionReason(name: name)
        #expect(RejectionReason.known.contains(reason))
        #expect(reason.name == name)
        #expect(reason.documentedStatus == status)
        #expect(reason.disposition(status: status) == disposition)
        let rejection = Rejection(status: status, reason: reason)
        #expect(rejection.reason == name && rejection.classification == reason.classification(status: status))
    }

    @Test("What a rejection means follows from its disposition")
    func classification() {
        func meaning(_ status: UInt16, _ reason: RejectionReason) -> Classification {
            Rejection(status: status, reason: reason).classification
        }
        let dead = Classification(.addressDead, isAboutAddress: true)
        #expect(meaning(410, .unregistered) == dead && meaning(410, .expiredToken) == dead)
        #expect(meaning(410, .missing) == Classification(.addressDead, isAboutAddress: true, isDoubtful: true))
        let refused = Classification(.addressRefused, isAboutAddress: true, isDoubtful: true)
        #expect(meaning(400, .badDeviceToken) == refused)
        let other = Rejection(status: 400, reason: .deviceTokenNotForTopic)
        #expect(
            other.classification
                == Classification(.addressRefused, isAboutAddress: true, isDoubtful: true, mayBlameTopic: true))
        #expect(other.blamingTopic.classification == .topicRefused && other.blamingTopic.reason == other.reason)
        #expect(meaning(400, .badTopic) == .topicRefused && meaning(400, .topicDisallowed) == .topicRefused)
        let request = Classification(.requestRefused, isDoubtful: true)
        for (status, reason) in [(400, RejectionReason.badPriority), (413, .payloadTooLarge), (404, .unknown("New"))] {
            #expect(meaning(UInt16(status), reason) == request)
        }
        let leave = Classification(.again, trouble: .refused, isWeighty: false)
        #expect(meaning(400, .idleTimeout) == leave && meaning(421, .missing) == leave)
        #expect(meaning(403, .unrelatedKeyIdentifierInToken) == leave)
        #expect(meaning(403, .forbidden) == Classification(.again, trouble: .credential))
        for reason in [RejectionReason.expiredProviderToken, .missing] {
            #expect(meaning(403, reason) == Classification(.again, trouble: .credential, isWeighty: false))
        }
        #expect(meaning(429, .tooManyProviderTokenUpdates) == Classification(.later, trouble: .overloaded))
        #expect(meaning(503, .shutdown) == Classification(.later, trouble: .overloaded))
        let busy = Classification(.later, isAboutAddress: true, trouble: .overloaded, isWeighty: false)
        #expect(meaning(429, .tooManyRequests) == busy)
        #expect(meaning(429, .missing) == Classification(.later, isAboutAddress: true, trouble: .overloaded))
    }

    @Test("Each reason has a name of its own and one sentence")
    func sentences() {
        #expect(Set(RejectionReason.known.map(\.name)).count == RejectionReason.known.count)
        for reason in RejectionReason.known {
            #expect(reason.explanation.hasSuffix("."))
            #expect(reason.explanation.count > 15)
        }
    }

    @Test(
        "An unknown reason is kept as text and treated by its status",
        arguments: [
            (UInt16(400), Disposition.requestRefused), (403, .credentialBad), (302, .retryLater),
            (408, .newConnectionAndRetry), (421, .newConnectionAndRetry), (404, .requestRefused), (410, .dropToken),
            (413, .requestRefused), (429, .retryLater), (500, .retryLater), (503, .retryLater), (401, .requestRefused),
        ])
    func unknown(_ status: UInt16, _ disposition: Disposition) {
        let reason = RejectionReason(name: "BrandNew")
        #expect(reason == .unknown("BrandNew"))
        #expect(reason.description == "BrandNew")
        #expect(reason.disposition(status: status) == disposition)
        #expect(RejectionReason.missing.disposition(status: status) == disposition)
    }

    @Test(
        "A reason takes the token away only with the status that Apple documents", arguments: [UInt16(403), 429, 503])
    func otherStatus(_ status: UInt16) {
        for reason in [RejectionReason.unregistered, .expiredToken, .badDeviceToken, .deviceTokenNotForTopic] {
            #expect(reason.disposition(status: status) == RejectionReason.missing.disposition(status: status))
        }
    }

    @Test("An unknown 403 speaks of the credential, and a known one says so alone")
    func forbidden() {
        for reason in [RejectionReason.unknown("Whatever"), .missing, .forbidden] {
            let trouble = Rejection(status: 403, reason: reason).trouble
            #expect(trouble?.kind == .credential && trouble?.isWeighty == (reason == .forbidden))
        }
    }

    @Test("What would be final is doubtful, unless the token is known to be dead")
    func doubtful() {
        func isDoubtful(_ status: UInt16, _ reason: RejectionReason) -> Bool {
            Rejection(status: status, reason: reason).classification.isDoubtful
        }
        #expect(isDoubtful(400, .badDeviceToken) && isDoubtful(404, .missing) && isDoubtful(413, .payloadTooLarge))
        #expect(isDoubtful(410, .missing) && isDoubtful(400, .unknown("Whatever")))
        #expect(!isDoubtful(410, .unregistered) && !isDoubtful(410, .expiredToken))
        #expect(!isDoubtful(503, .missing) && !isDoubtful(403, .missing) && !isDoubtful(429, .tooManyRequests))
    }

    @Test("An outcome is one word, so a batch of them is small")
    func size() {
        #expect(MemoryLayout<PushOutcome>.size <= 8)
    }
}

@Suite("Bodies of answers") struct RejectionBodyTests {
    private func read(_ text: String) -> (String?, UInt64?) {
        let body = RejectionBody(text.utf8)
        return (body.reason, body.timestamp)
    }

    @Test(
        "Reason and timestamp are found wherever they stand",
        arguments: [
            #"{"reason":"X","timestamp":12}"#, #" { "timestamp" : 12 , "reason" : "X" } "#,
            #"{"a":{"reason":"no","b":[1,{"c":"]"}]},"reason":"X","n":null,"timestamp":12}"#,
            #"{"q":"\"","reason":"X","timestamp":12,"cut":"#,
        ])
    func found(_ text: String) {
        #expect(read(text) == ("X", 12))
    }

    @Test(
        "What cannot be read is left out",
        arguments: Escaped.each([
            "", "{", "[]", "null", "reason", #"{"reason":7}"#, #"{"reason""#, #"{"reason":"#, #"{"reason":"cut"#,
            #"{"timestamp":-5}"#, #"{"timestamp":99999999999999999999}"#, "\u{0}", #"{"a":[[[["#, #"{"a":"\"#,
        ]))
    func leftOut(_ argument: Escaped<String>) {
        let text = argument.value
        #expect(read(text) == (nil, nil))
    }

    @Test("No bytes bring it down")
    func noise() {
        var generator = SeededGenerator(seed: 42)
        let alphabet = Array(#"{}[]":,\ reasontimestamp0123456789"#.utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...40, using: &generator)
            _ = RejectionBody((0..<length).map { _ in alphabet.randomElement(using: &generator)! })
        }
    }
}
