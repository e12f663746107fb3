import LiveActivity
import Testing

extension TestStage {
    /// A body for `schedule`.
    static func scheduleBody(
        _ id: String, _ time: String, event: String = "update", content: String? = content, more: String = ""
    ) -> String {
        let content = content.map { #","content":\#($0)"# } ?? ""
        return #"{"activity_id":"\#(id)","event":"\#(event)",\#(time)\#(content)\#(more.isEmpty ? "" : ",\(more)")}"#
    }

    /// Has something scheduled, and gives the schedule's id.
    func schedule(
        _ id: String, _ time: String, event: String = "update", content: String? = content, more: String = "",
        gateway: Int = 0
    ) async throws -> String {
        let body = TestStage.scheduleBody(id, time, event: event, content: content, more: more)
        let answer = try await call("schedule", body, gateway: gateway)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer["schedule_id"]?.string)
    }

    /// The schedules of an activity, by their ids.
    func schedules(_ id: String, gateway: Int = 0) async throws -> [(id: String, fields: JSONValue)] {
        let answer = try await read("/api/v1/live-activity/schedule?activity_id=\(id)", gateway: gateway)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer["schedules"]).elements.map { fields in
            ((try? fields.member("schedule_id")?.string).flatMap { $0 } ?? "", fields)
        }
    }

    /// A field of a schedule, once it has ended.
    func ended(schedule: String, of id: String, gateway: Int = 0) async throws -> JSONValue {
        var found: JSONValue?
        try await eventually("the schedule is not carried out") {
            found = try await self.schedules(id, gateway: gateway).first { $0.id == schedule }?.fields
            return found.map { $0.text("state") != "pending" } ?? false
        }
        return try #require(found)
    }
}
