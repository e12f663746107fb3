import GatewayStore
import HTTPTypes
import LiveActivity
import Testing

@testable import GatewayAPI

/// A listing holds its place for as long as it is read.
@Suite("Shares of listings")
struct ListingShareTests {
    @Test("Listings that one tenant reads leave one for another, and each is told of its own alone")
    func leavesOne() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (end, over) = AsyncStream<Void>.makeStream()
        let isOver = Task { for await _ in end {} }
        let list = Endpoint(
            .get, "/list",
            .query { _ in
                begin.yield()
                await isOver.value
                return .success { $0.field("by", "list") }
            }, isListing: true)
        let keys = KnownKeys(["api:a": .of(.growth, tenantID: "a"), "api:b": .of(.growth, tenantID: "b")])
        let caller = Caller([list], keys: keys, configure: { $0.maximumListings = 4 })
        var others = begun.makeAsyncIterator()
        func read(_ key: String) async -> Task<Int, any Error> {
            let reading = Task {
                // Also of one that is refused.
                defer { begin.yield() }
                return try await caller.ask(.get, "/list", key: key).status
            }
            await others.next()
            return reading
        }
        func used(_ tenant: String) -> Int? {
            caller.router.shares.shares(ofTenant: tenant, weight: 1).first { $0.name == "listings" }?.used
        }

        var readings: [Task<Int, any Error>] = []
        for _ in 0..<3 { readings.append(await read("a")) }
        let refused = try await caller.ask(.get, "/list", key: "a")
        #expect(refused.status == 503 && refused.code == "OVERLOADED" && refused.header("retry-after") == "1")
        #expect(used("a") == 3 && used("b") == 0)
        readings.append(await read("b"))
        #expect(used("a") == 3 && used("b") == 1)
        #expect(try await caller.ask(.get, "/list", key: "b").status == 503, "there are no more than there are")
        over.finish()
        for reading in readings { #expect(try await reading.value == 200) }
        #expect(used("a") == 0 && used("b") == 0)
        #expect(try await caller.ask(.get, "/list", key: "a").status == 200)
    }
}
