import MockAPNs
import TestHTTP2Client
import Testing

extension TestMock {
    /// A connection to the port at which channels are managed.
    func manager() async throws -> TestClient {
        try await TestClient.connect(toPort: mock.channelsPort, caFile: mock.caFile)
    }

    /// A call about channels that passes all checks.
    func call(
        _ method: String, _ path: String = "channels", channel: String? = nil, body: String = ""
    ) throws -> TestRequest {
        var request = TestRequest(
            method: method, path: "/1/apps/\(mock.bundleID)/\(path)",
            headers: [("authorization", "bearer \(try token())")], body: Array(body.utf8))
        request.set("apns-channel-id", channel)
        return request
    }

    func creation(storesMessages: Bool = false) throws -> TestRequest {
        let policy = storesMessages ? 1 : 0
        return try call("POST", body: #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
    }

    /// Creates a channel and returns its identifier.
    func createChannel(storesMessages: Bool = false) async throws -> String {
        let client = try await manager()
        defer { client.stop() }
        let result = await client.send(try creation(storesMessages: storesMessages))
        try #require(result.status == 201)
        return try #require(result.response?.headers["apns-channel-id"])
    }

    /// A push to a channel that passes all checks.
    func publish(_ channel: String, event: String = "update", note: String = "x") throws -> TestRequest {
        TestRequest(
            path: "/4/broadcasts/apps/\(mock.bundleID)",
            headers: [
                ("authorization", "bearer \(try token())"), ("apns-channel-id", channel),
                ("apns-push-type", "liveactivity"), ("apns-topic", mock.bundleID), ("apns-priority", "10"),
                ("apns-expiration", "0"),
            ], body: TestRequest.payload(event, note: note))
    }
}
