import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension CustomerAPI {
    /// The status of a broadcast.
    func broadcast(_ request: CustomerRequest) async throws -> Reply {
        CustomerAPI.status(try await readableBroadcast(request))
    }

    /// Returns a broadcast whose activity can still be read.
    func readableBroadcast(_ request: CustomerRequest) async throws -> BroadcastRecord {
        guard let id = request.id("broadcast_id"),
            let record = try await store.broadcasts.broadcast(id, of: request.tenantID),
            try await store.reader.status(of: record.activityID) != nil
        else { throw APIError(.notFound, "the broadcast does not exist") }
        return record
    }

    static func status(_ record: BroadcastRecord) -> Reply {
        .success { writer in
            writer.field("broadcast_id", record.id.description)
            writer.field("activity_id", record.activityID.description)
            writer.field("kind", record.kind.rawValue)
            writer.state(record)
            writer.field("total", record.total)
            writer.field("accepted", record.counts.accepted)
            writer.object("failed") { writer in
                for (reason, count) in record.counts.failed.sorted(by: { $0.key < $1.key }) {
                    writer.field(reason, count)
                }
            }
            writer.object("skipped") { writer in
                for (reason, count) in record.counts.skipped.occurring { writer.field(reason.name, count) }
            }
            writer.cohorts(record.counts.cohorts)
            if record.hasWrongEnvironment { writer.field("warnings", ["WRONG_ENVIRONMENT"]) }
            writer.field("pushes_per_second", record.pushesPerSecond)
            writer.stages(record)
        }
    }
}

extension JSONObjectWriter {
    /// Writes the times of the broadcast's stages.
    mutating func stages(_ record: BroadcastRecord) {
        field("created_at", record.createdAt.rfc3339)
        field("started_at", record.startedAt?.rfc3339)
        field("first_push_at", record.pushes?.first.rfc3339)
        field("last_push_at", record.pushes?.last.rfc3339)
        field("finished_at", record.finishedAt?.rfc3339)
    }

    /// Writes the state of a broadcast. A paused broadcast resumes by itself.
    mutating func state(_ record: BroadcastRecord) {
        field("state", record.pause == nil ? record.state.rawValue : "paused")
        field("reason", record.pause?.reason)
        field("paused_since", record.pause?.since.rfc3339)
    }
}
