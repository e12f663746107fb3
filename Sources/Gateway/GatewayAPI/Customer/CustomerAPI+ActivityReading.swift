import Delivery
import GatewayStore
import LiveActivity
import TimeCore

extension CustomerAPI {
    /// Returns an activity that is alive or ended less than a day ago.
    func readable(_ request: CustomerRequest) async throws -> ActivityStatus {
        guard let id = request.id("activity_id"), let status = try await store.reader.status(of: id),
            status.record.activity.tenantID == request.tenantID
        else {
            throw APIError(.notFound, "the activity does not exist, or it ended more than a day ago")
        }
        return status
    }

    /// All details of an activity.
    func activity(_ request: CustomerRequest) async throws -> Reply {
        let status = try await readable(request)
        let cohorts = try await store.reader.stateCounts(in: status.record)
        // Activities that devices opened by themselves have no start.
        let times =
            status.record.activity.externalID == nil ? try await store.reader.timeToSync(in: status.record) : nil
        let counts = cohorts.values.reduce(into: DeviceStateCounts()) { $0.add($1) }
        let broadcasts = try await store.reader.recentBroadcasts(of: status)
        let dismissals = try await store.reader.dismissals(in: status.record)
        return .success { writer in
            writer.summary(status)
            writer.object("counts") { $0.counts(counts) }
            writer.object("cohorts") { writer in
                for cohort in Cohort.allCases {
                    guard let counts = cohorts[cohort] else { continue }
                    writer.object(cohort.rawValue) {
                        $0.field("devices", counts.total)
                        $0.counts(counts)
                        if let times { $0.timeToSync(times[cohort] ?? TimeToSync()) }
                    }
                }
            }
            if let times {
                writer.timeToSync(times.values.reduce(into: TimeToSync()) { $0.add($1) })
            }
            writer.field("updates_this_hour", status.updatesThisHour)
            writer.field("taps", status.taps)
            writer.field("dismissals", dismissals)
            writer.object("options") { $0.options(status) }
            writer.array("broadcasts") { array in
                for record in broadcasts { array.object { $0.summary(record) } }
            }
        }
    }

    /// A page of the tenant's activities.
    func activities(_ request: CustomerRequest) async throws -> Reply {
        let query = try ActivityListingQuery(request.query)
        let listing: ActivityListing
        if let name = query.name {
            listing = try await store.reader.activities(of: request.tenantID, called: name, in: query.filter.state)
        } else {
            listing = try await store.reader.activities(
                of: request.tenantID, query.filter, limit: query.limit, from: query.cursor)
        }
        return .success { writer in
            writer.array("activities") { array in
                for status in listing.activities { array.object { $0.summary(status) } }
            }
            writer.field("cursor", listing.next?.text)
        }
    }
}

extension JSONObjectWriter {
    /// Writes the fields that need no further reads.
    fileprivate mutating func summary(_ status: ActivityStatus) {
        let activity = status.record.activity
        field("activity_id", activity.id.description)
        field("activity_type", activity.type)
        field("name", activity.label)
        field("state", status.state.contractName)
        field("external_id", activity.externalID)
        field("insider_id", activity.externalOwner)
        field("created_at", activity.createdAt.rfc3339)
        field("started_at", activity.startedAt?.rfc3339)
        field("ends_at", activity.endsAt.rfc3339)
        field("ended_at", status.endedAt?.rfc3339)
        field("end_reason", status.endReason?.name)
        field("users", status.record.users)
        field("devices", status.record.devices)
    }

    fileprivate mutating func options(_ status: ActivityStatus) {
        field("activity_id_attribute", status.record.activity.activityIDAttribute)
        field("catch_up", status.wantsCatchUp)
        field("min_update_interval", status.record.minimumInterval)
        if let use = status.record.channelUse {
            field("channel", use.isRequired ? "required" : "auto")
            field("channel_storage", use.storesNewest ? "newest" : "none")
        }
        if let healing = status.record.healing {
            field("heal", "dead_token")
            field("heal_limit", healing.limit)
        }
    }

    mutating func counts(_ counts: DeviceStateCounts) {
        for state in DeviceState.allCases { field(state.rawValue, counts[state]) }
        object("ended_by") { writer in
            for reason in EndReason.allCases where counts.ended[reason] != nil {
                writer.field(reason.name, counts.ended[reason])
            }
        }
    }

    fileprivate mutating func timeToSync(_ times: TimeToSync) {
        object("time_to_sync") { writer in
            writer.object("within") { writer in
                for seconds in TimeToSync.named { writer.field("\(seconds)", times.count(within: seconds)) }
            }
            for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
                writer.field(name, times.quantile(share).map { ($0 * 1_000).rounded() / 1_000 })
            }
        }
    }

    mutating func summary(_ record: BroadcastRecord) {
        field("broadcast_id", record.id.description)
        field("kind", record.kind.rawValue)
        state(record)
        field("total", record.total)
        field("accepted", record.counts.accepted)
        stages(record)
    }
}
