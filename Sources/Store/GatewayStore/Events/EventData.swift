import Delivery
import LiveActivity
import TimeCore

/// The `data` of each event.
enum EventData {
    static func devices(
        _ devices: [DeviceKey], count: Int, in activity: Activity, _ cohort: Cohort, broadcast: UniqueID?,
        reason: String?
    ) -> [UInt8] {
        JSONWriter.object {
            $0.activity(activity)
            $0.field("external_id", activity.externalID)
            $0.field("broadcast_id", broadcast?.description)
            $0.field("reason", reason)
            $0.field("cohort", cohort.rawValue)
            $0.field("count", count)
            $0.array("devices") { array in
                for device in devices {
                    array.object {
                        $0.field("insider_id", device.insiderID)
                        $0.field("udid", device.udid)
                    }
                }
            }
        }
    }

    static func synced(_ devices: some Collection<SyncedDevice>, in activity: Activity, _ cohort: Cohort) -> [UInt8] {
        JSONWriter.object {
            $0.activity(activity)
            $0.field("external_id", activity.externalID)
            $0.field("cohort", cohort.rawValue)
            $0.field("count", devices.count)
            $0.array("devices") { array in
                for device in devices {
                    array.object {
                        $0.field("insider_id", device.key.insiderID)
                        $0.field("udid", device.key.udid)
                        $0.field("since_start_ms", device.sinceStart)
                    }
                }
            }
        }
    }

    static func liveActivity(_ report: LiveActivityReport) -> [UInt8] {
        JSONWriter.object {
            $0.activity(report.activity)
            $0.field("external_id", report.activity.externalID)
            $0.field("insider_id", report.key.insiderID)
            $0.field("udid", report.key.udid)
            $0.field("system_activity_id", report.systemActivityID)
            $0.field("schedule_id", report.driver?.schedule)
            $0.field("schedule_name", report.driver?.name)
        }
    }

    static func updateBudget(_ record: BroadcastRecord, _ activity: Activity) -> [UInt8] {
        JSONWriter.object {
            $0.activity(activity)
            $0.field("broadcast_id", record.id.description)
            $0.field("updates_this_hour", record.updatesThisHour)
        }
    }

    static func quota(_ crossing: QuotaCrossing) -> [UInt8] {
        JSONWriter.object {
            $0.field("quota", crossing.limit.name)
            $0.field("limit", crossing.value)
            $0.field("used", crossing.used)
        }
    }

    static func finished(_ record: BroadcastRecord, _ activity: Activity) -> [UInt8] {
        JSONWriter.object {
            $0.activity(activity)
            $0.field("broadcast_id", record.id.description)
            $0.field("kind", record.kind.rawValue)
            $0.field("state", record.state.rawValue)
            $0.field("total", record.counts.total)
            $0.field("accepted", record.counts.accepted)
            $0.object("failed") { writer in
                for (reason, count) in record.counts.failed.sorted(by: { $0.key < $1.key }) {
                    writer.field(reason, count)
                }
            }
            $0.object("skipped") { writer in
                for (reason, count) in record.counts.skipped.occurring { writer.field(reason.name, count) }
            }
            $0.cohorts(record.counts.cohorts)
            $0.field("created_at", record.createdAt.rfc3339)
            $0.field("finished_at", record.finishedAt?.rfc3339)
        }
    }

    static func expired(_ activity: Activity, _ reason: EndReason) -> [UInt8] {
        JSONWriter.object {
            $0.activity(activity)
            $0.field("reason", reason.name)
            $0.field("ends_at", activity.endsAt.rfc3339)
        }
    }
}

extension JSONObjectWriter {
    fileprivate mutating func activity(_ activity: Activity) {
        field("activity_id", activity.id.description)
        field("activity_type", activity.type)
        field("name", activity.label)
    }
}
