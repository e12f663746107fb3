import GatewayStore
import HTTPTypes
import Hummingbird
import LiveActivity
import TimeCore

/// Stored segments: lists of users that are kept, and that activities can be registered for.
struct SegmentsAPI: Sendable {
    let store: GatewayStore
    let settings: APISettings
    let reader: BodyReader
    private let uploads: UploadCount

    init(store: GatewayStore, settings: APISettings, reader: BodyReader) {
        self.store = store
        self.settings = settings
        self.reader = reader
        uploads = UploadCount(limit: settings.maximumUploads)
    }

    typealias Handler = @Sendable (SegmentsAPI, Request, GatewayContext, _ tenantID: String) async throws -> Reply

    static let routes: [(method: HTTPRequest.Method, path: RouterPath, isChange: Bool, handler: Handler)] = [
        (.get, "", false, { try await $0.list($1, tenantID: $3) }),
        (.get, ":name", false, { try await $0.count($2, tenantID: $3) }),
        (.put, ":name", true, { try await $0.replace($1, $2, tenantID: $3) }),
        (.delete, ":name", true, { try await $0.delete($2, tenantID: $3) }),
        (.post, ":name/users", true, { try await $0.change(.add, $1, $2, tenantID: $3) }),
        (.delete, ":name/users", true, { try await $0.change(.remove, $1, $2, tenantID: $3) }),
    ]

    // MARK: Reading

    private static let defaultLimit = 100

    private func list(_ request: Request, tenantID: String) async throws -> Reply {
        let query = request.uri.queryParameters
        let limit =
            try query.get("limit").map { text in
                guard let limit = Int(text), (1...GatewayStore.longestSegmentListing).contains(limit) else {
                    throw APIError.invalid("limit", "a number from 1 to \(GatewayStore.longestSegmentListing)")
                }
                return limit
            } ?? SegmentsAPI.defaultLimit
        let cursor = try query.get("cursor").map { text in
            guard SegmentName.isValid(text) else {
                throw APIError.invalid("cursor", "what an earlier reply of this endpoint gave")
            }
            return text
        }
        let page = try await store.segments(tenantID: tenantID, limit: limit, after: cursor)
        return .success { writer in
            writer.array("segments") { array in
                for segment in page.segments { array.object { $0.segment(segment) } }
            }
            writer.field("cursor", page.next)
        }
    }

    private func count(_ context: GatewayContext, tenantID: String) async throws -> Reply {
        guard let segment = try await store.segment(try name(context), tenantID: tenantID) else {
            throw APIError.noSegment
        }
        return .success { $0.segment(segment) }
    }

    // MARK: Changing

    private func replace(_ request: Request, _ context: GatewayContext, tenantID: String) async throws -> Reply {
        let name = try name(context)
        return try await uploaded(request, context) { upload in
            let outcome = try await store.replaceSegment(name, tenantID: tenantID, with: upload)
            return try SegmentsAPI.reply(name, outcome)
        }
    }

    private func change(
        _ kind: GatewayStore.SegmentChangeKind, _ request: Request, _ context: GatewayContext, tenantID: String
    ) async throws -> Reply {
        let name = try name(context)
        return try await uploaded(request, context) { upload in
            let end = MonotonicTime.now() + CustomerAPI.patience
            while true {
                let outcome = try await store.changeSegment(name, tenantID: tenantID, kind, upload)
                guard outcome == .busy, MonotonicTime.now() < end else {
                    return try SegmentsAPI.reply(name, outcome, kind)
                }
                try await Task.sleep(for: CustomerAPI.pause)
            }
        }
    }

    private func delete(_ context: GatewayContext, tenantID: String) async throws -> Reply {
        guard try await store.deleteSegment(try name(context), tenantID: tenantID) else { throw APIError.noSegment }
        return .success()
    }

    /// Reads the ids that the request brings, and drops what is left of them when `body` has had them.
    private func uploaded(
        _ request: Request, _ context: GatewayContext, _ body: (SegmentUpload) async throws -> Reply
    ) async throws -> Reply {
        var upload = SegmentUpload()
        switch try SegmentContent(request) {
        case .json:
            let ids = try await reader.read(request, context).root.segmentIDs()
            _ = try await store.take(ids, into: &upload)
        case .list(let format):
            guard uploads.enter() else {
                throw APIError(.overloaded, "too many uploads are under way; try again", retryAfter: 5)
            }
            defer { uploads.leave() }
            upload = try await SegmentUploadReader(store: store, silence: settings.uploadSilence)
                .read(request, context, format)
        }
        let result: Result<Reply, any Error>
        do { result = .success(try await body(upload)) } catch { result = .failure(error) }
        await store.discard(upload)
        return try result.get()
    }

    private func name(_ context: GatewayContext) throws -> String {
        let name = context.pathParameter("name") ?? ""
        guard SegmentName.isValid(name) else {
            throw APIError.invalid(
                "the segment's name", "1 to \(SegmentName.maximumLength) letters, digits and -._~:, and not . or ..")
        }
        return name
    }

    private static func reply(
        _ name: String, _ outcome: SegmentOutcome, _ kind: GatewayStore.SegmentChangeKind? = nil
    ) throws -> Reply {
        switch outcome {
        case .changed(let users, let difference, let time):
            return .success { writer in
                writer.segment(SegmentSummary(name: name, users: users, updatedAt: time))
                switch kind {
                case .add: writer.field("added_users", difference)
                case .remove: writer.field("removed_users", -difference)
                case nil: break
                }
            }
        case .notFound: throw APIError.noSegment
        case .busy:
            throw APIError(.storeUnavailable, "the segment is being changed by others; try again", retryAfter: 1)
        case .tooMany:
            throw APIError(
                .validationFailed, "there are \(GatewayStore.maximumSegments) segments already; delete one first")
        }
    }
}

extension APIError {
    static var noSegment: APIError { APIError(.notFound, "no such segment") }
}

extension JSONObjectWriter {
    fileprivate mutating func segment(_ segment: SegmentSummary) {
        field("name", segment.name)
        field("users", segment.users)
        field("updated_at", segment.updatedAt.rfc3339)
    }
}
