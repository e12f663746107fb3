import GatewayStore
import LiveActivity

extension CustomerAPI {
    /// Whom an activity is registered for.
    enum RegistrationSource {
        case users([String], unprocessed: Int)
        case segment(String)
    }

    /// `insider_ids` or `segment`: one of them.
    func registrationSource(_ body: JSONValue) throws -> RegistrationSource {
        guard let segment = try body.optionalString("segment") else {
            guard try body.optional("insider_ids") != nil else {
                throw APIError(
                    .insiderIDsOutOfRange,
                    "insider_ids or segment is required: 1 to \(settings.maximumInsiderIDs) ids, or the name of a stored segment"
                )
            }
            let (ids, unprocessed) = try body.insiderIDs(maximum: settings.maximumInsiderIDs)
            return .users(ids, unprocessed: unprocessed)
        }
        guard try body.optional("insider_ids") == nil else {
            throw APIError(.validationFailed, "send either insider_ids or segment, not both")
        }
        guard SegmentName.isValid(segment) else {
            throw APIError.invalid(
                "segment", "the name of a stored segment: 1 to \(SegmentName.maximumLength) letters, digits and -._~:")
        }
        return .segment(segment)
    }

    func register(
        _ registration: StoredActivities.Registration, _ source: RegistrationSource, _ tenantID: String
    ) async throws -> (RegistrationReport, unprocessed: Int) {
        switch source {
        case .users(let ids, let unprocessed):
            return (try await store.activities.register(registration, insiderIDs: ids, tenantID: tenantID), unprocessed)
        case .segment(let name):
            let outcome = try await store.activities.register(registration, segment: name, tenantID: tenantID) {
                guard !isStopping() else { throw APIError.stopping }
            }
            switch outcome {
            case .registered(let report): return (report, 0)
            case .noSegment: throw APIError.noSegment
            case .tooLarge:
                throw APIError(.validationFailed, "segment: the segment has more devices than an activity can have")
            }
        }
    }
}
