import Broadcasts
import GatewayStore
import LiveActivity

// The owner's list of followers is stored as a segment. A user's own choice in an app overrides it.
extension TopicsAPI {
    func replaceFollowers(_ request: CustomerRequest) async throws -> Reply { try await change(nil, request) }

    func addFollowers(_ request: CustomerRequest) async throws -> Reply { try await change(.add, request) }

    func removeFollowers(_ request: CustomerRequest) async throws -> Reply { try await change(.remove, request) }

    private func change(
        _ kind: StoredSegments.SegmentChangeKind?, _ request: CustomerRequest
    ) async throws -> Reply {
        let id = try id(request)
        let owner = StoredTopics.listOwner(request.tenantID)
        return try await lists.uploaded(request) { upload in
            guard try await store.topic(id) != nil else { throw APIError.noTopic }
            let tries = Tries()
            while true {
                var outcome: SegmentOutcome
                if let kind {
                    outcome = try await lists.store.changeSegment(id.name, tenantID: owner, kind, upload)
                    // The first users create the list. A removal without a list changes nothing.
                    if outcome == .notFound, kind == .add {
                        outcome = try await lists.store.replaceSegment(id.name, tenantID: owner, with: upload)
                    }
                } else {
                    outcome = try await lists.store.replaceSegment(id.name, tenantID: owner, with: upload)
                }
                guard outcome == .busy, try await tries.next() else { return try await reply(id, outcome, kind) }
            }
        }
    }

    private func reply(
        _ id: TopicID, _ outcome: SegmentOutcome, _ kind: StoredSegments.SegmentChangeKind?
    ) async throws -> Reply {
        let (users, difference): (Int, Int)
        switch outcome {
        case .changed(let count, let change, _):
            (users, difference) = (count, change)
            try await followerStore.listChanged(id)
        case .notFound: (users, difference) = (0, 0)
        case .busy:
            throw APIError(.storeUnavailable, "another request is changing the list; try again", retryAfter: 1)
        case .tooMany:
            var error = APIError(
                .quotaExceeded,
                "quota topic_lists: the maximum of \(StoredSegments.maximumSegments) topics have lists; delete one first"
            )
            error.quota = "topic_lists"
            throw error
        }
        return .success { writer in
            writer.field("topic", id.name)
            writer.field("users", users)
            switch kind {
            case .add: writer.field("added_users", difference)
            case .remove: writer.field("removed_users", -difference)
            case nil: break
            }
        }
    }
}
