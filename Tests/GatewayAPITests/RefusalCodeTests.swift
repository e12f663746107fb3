import Broadcasts
import Delivery
import GatewayStore
import LiveActivity
import Testing

@testable import GatewayAPI

@Suite("Codes of refused broadcasts")
struct RefusalCodeTests {
    @Test("A schedule fails with the code that a call would get, and waits where a later call could succeed")
    func codes() {
        let refusals: [BroadcastRefusal] = [
            .activity(.notFound), .activity(.typeMismatch(registered: "T")), .activity(.alreadyStarted),
            .activity(.notStarted), .ofTopic(TopicID(tenantID: "t", name: "n")),
            .attributeTaken(Payload.AttributeTaken(key: "k")), .payloadTooLarge(2, limit: 1, .apns),
            .notSynced(SkipCounts(), isJustStarted: false), .notSynced(SkipCounts(), isJustStarted: true),
            .nobodyEligible(SkipCounts()), .overloaded, .leftToOthers, .starting, .contended, .scheduleGone,
        ]
        for refusal in refusals {
            let error = APIError(refusal)
            if let code = refusal.code {
                #expect(code == error.code.rawValue)
            } else {
                #expect(error.retryAfter != nil, "\(refusal)")
            }
        }
    }
}
