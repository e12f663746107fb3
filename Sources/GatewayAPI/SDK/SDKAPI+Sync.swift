import Broadcasts
import GatewayStore
import LiveActivity
import TimeCore

extension SDKAPI {
    func sync(_ request: DeviceRequest) async throws -> Reply {
        let body = request.body
        let token = try body.token()
        let systemID = try body.systemActivityID()
        let type = try body.optionalActivityType()
        guard try body.optional("external_id") == nil else {
            throw APIError.invalid(
                "external_id", "left out: activities that apps open by themselves are not offered yet")
        }
        let reference: ActivityReference
        if let text = try body.text("activity_id") {
            guard let id = UniqueID(text) else { throw notFound }
            reference = .id(id, type: type)
        } else if let type {
            reference = .newest(type: type)
        } else {
            throw APIError(.activityIDRequired, "activity_id or activity_type is required")
        }
        let outcome = try await store.sync(
            request.key, token: token, reference: reference, systemActivityID: systemID, tenantID: request.tenantID)
        switch outcome {
        case .notFound: throw notFound
        case .typeMismatch(let registered): throw APIError(ActivityRefusal.typeMismatch(registered: registered))
        case .notStarted: throw APIError(ActivityRefusal.notStarted)
        case .synced(let record, let slot, let lateEnd):
            if let lateEnd { try await end(record, slot, by: lateEnd) }
            return .success { $0.field("activity_id", record.activity.id.description) }
        }
    }

    func dismissed(_ request: DeviceRequest) async throws -> Reply {
        let reference: ActivityReference
        if let text = try request.body.text("activity_id") {
            guard let id = UniqueID(text) else { throw notFound }
            reference = .id(id, type: nil)
        } else if let systemID = try request.body.systemActivityID() {
            reference = .system(systemID)
        } else {
            throw APIError(.activityIDRequired, "activity_id or system_activity_id is required")
        }
        guard let id = try await store.dismiss(request.key, reference: reference, tenantID: request.tenantID) else {
            throw notFound
        }
        return .success { $0.field("activity_id", id.description) }
    }

    private var notFound: APIError {
        APIError(.notFound, "this device has no such activity")
    }

    /// The card was ended before the device could be reached: it is told now, so that none is orphaned.
    private func end(_ record: ActivityRecord, _ slot: UInt32, by broadcast: UniqueID) async throws {
        guard let order = try await store.lateEnd(broadcast, of: record, slot: slot) else { return }
        _ = await apps.carryOut(order, waiting: .zero)
    }
}

extension JSONValue {
    fileprivate func systemActivityID() throws -> String? {
        guard let text = try text("system_activity_id") else { return nil }
        guard text.utf8.count <= 128 else {
            throw APIError.invalid("system_activity_id", "a string of at most 128 bytes")
        }
        return text
    }
}
