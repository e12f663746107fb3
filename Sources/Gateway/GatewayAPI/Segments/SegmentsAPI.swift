import Broadcasts
import GatewayStore
import Hummingbird
import LiveActivity
import ShareCore
import TimeCore

/// Stored segments: lists of users for the registration of activities.
struct SegmentsAPI: Sendable {
    let store: any SegmentStore
    let settings: APISettings
    private let shares: GatewayShares

    init(store: any SegmentStore, settings: APISettings, shares: GatewayShares) {
        self.store = store
        self.settings = settings
        self.shares = shares
    }

    // MARK: Reading

    private static let defaultLimit = 100

    func list(_ request: CustomerRequest) async throws -> Reply {
        let query = request.query
        let limit =
            try query.get("limit").map { text in
                guard let limit = Int(text), (1...StoredSegments.longestSegmentListing).contains(limit) else {
                    throw APIError.invalid("limit", "a number from 1 to \(StoredSegments.longestSegmentListing)")
                }
                return limit
            } ?? SegmentsAPI.defaultLimit
        let cursor = try query.get("cursor").map { text in
            guard SegmentName.isValid(text) else {
                throw APIError.invalid("cursor", "the cursor of an earlier reply of this endpoint")
            }
            return text
        }
        let page = try await store.segments(tenantID: request.tenantID, limit: limit, after: cursor)
        return .success { writer in
            writer.array("segments") { array in
                for segment in page.segments { array.object { $0.segment(segment) } }
            }
            writer.field("cursor", page.next)
        }
    }

    func count(_ request: CustomerRequest) async throws -> Reply {
        guard let segment = try await store.segment(try name(request), tenantID: request.tenantID) else {
            throw APIError.noSegment
        }
        return .success { $0.segment(segment) }
    }

    // MARK: Changing

    func replace(_ request: CustomerRequest) async throws -> Reply {
        let name = try name(request)
        return try await uploaded(request) { upload in
            let outcome = try await store.replaceSegment(name, tenantID: request.tenantID, with: upload)
            return try SegmentsAPI.reply(name, outcome)
        }
    }

    func addUsers(_ request: CustomerRequest) async throws -> Reply { try await change(.add, request) }

    func removeUsers(_ request: CustomerRequest) async throws -> Reply { try await change(.remove, request) }

    private func change(
        _ kind: StoredSegments.SegmentChangeKind, _ request: CustomerRequest
    ) async throws -> Reply {
        let name = try name(request)
        return try await uploaded(request) { upload in
            let tries = Tries()
            while true {
                let outcome = try await store.changeSegment(name, tenantID: request.tenantID, kind, upload)
                guard outcome == .busy, try await tries.next() else {
                    return try SegmentsAPI.reply(name, outcome, kind)
                }
            }
        }
    }

    func delete(_ request: CustomerRequest) async throws -> Reply {
        guard try await store.deleteSegment(try name(request), tenantID: request.tenantID) else {
            throw APIError.noSegment
        }
        return .success()
    }

    /// Reads the uploaded ids, passes them to `body`, and drops the rest.
    func uploaded(
        _ request: CustomerRequest, _ body: (SegmentUpload) async throws -> Reply
    ) async throws -> Reply {
        try ContentCoding.check(request.http.headers)
        var upload = SegmentUpload()
        var digest: [UInt8] = []
        var place: Share?
        defer { withExtendedLifetime(place) {} }
        switch try SegmentContent(request.http) {
        case .json:
            let document = try await BodyReader(settings, shares)
                .read(request.http, request.context, for: request.claimant)
            let ids = try document.root.segmentIDs()
            if request.givenKey != nil { digest = Array("json\n".utf8) + document.bytes }
            place = try await shares.placeForChange(request.claimant)
            _ = try await store.take(ids, into: &upload)
        case .list(let format):
            guard let taken = shares.uploads.place(for: request.claimant) else {
                throw APIError(.overloaded, "too many uploads are in progress; try again", retryAfter: 5)
            }
            place = taken
            (upload, digest) = try await SegmentUploadReader(
                store: store, silence: settings.uploadSilence,
                pace: UploadPace(slowest: settings.slowestUpload, window: settings.uploadWindow), shares: shares
            ).read(request, in: taken, format)
        }
        let result: Result<Reply, any Error>
        do { result = .success(try await once(request, digest) { try await body(upload) }) } catch {
            result = .failure(error)
        }
        await store.discard(upload)
        return try result.get()
    }

    /// - Parameter list: The digest of the whole body.
    private func once(
        _ request: CustomerRequest, _ list: [UInt8], _ body: () async throws -> Reply
    ) async throws -> Reply {
        guard let key = request.givenKey else { return try await body() }
        return try await key.carryOut(Array("\(request.http.uri.path)\n".utf8) + list) { _ in try await body() }
    }

    private func name(_ request: CustomerRequest) throws -> String {
        let name = request.name("name") ?? ""
        guard SegmentName.isValid(name) else {
            throw APIError.invalid(
                "the segment's name", "1 to \(SegmentName.maximumLength) letters, digits and -._~:, and not . or ..")
        }
        return name
    }

    private static func reply(
        _ name: String, _ outcome: SegmentOutcome, _ kind: StoredSegments.SegmentChangeKind? = nil
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
            throw APIError(.storeUnavailable, "another request is changing the segment; try again", retryAfter: 1)
        case .tooMany:
            throw APIError(
                .validationFailed,
                "the tenant has the maximum of \(StoredSegments.maximumSegments) segments; delete one first")
        }
    }
}

extension APIError {
    static var noSegment: APIError {
        APIError(.notFound, "the segment does not exist; upload it with PUT /api/v1/segments/{name}")
    }
}

extension JSONObjectWriter {
    fileprivate mutating func segment(_ segment: SegmentSummary) {
        field("name", segment.name)
        field("users", segment.users)
        field("updated_at", segment.updatedAt.rfc3339)
    }
}
