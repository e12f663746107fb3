@testable import GatewayStore

extension StoredTopics {
    /// Writes over the topic as it is.
    func put(_ write: TopicWrite, to id: TopicID) async throws -> TopicChange {
        try await put(write, to: id, over: topic(id))
    }
}
