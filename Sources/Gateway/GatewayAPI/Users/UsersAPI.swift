import GatewayStore
import LiveActivity
import TimeCore

/// The endpoints of users' devices and erasures.
struct UsersAPI: Sendable {
    let store: any ErasureStore
    let reader: any UserReading
    let service: any ErasureCarrier
    let shares: GatewayShares
    /// The time that a reply waits for an erasure.
    let patience: TimeInterval

    /// The devices of a user, with their tokens and activities.
    func devices(_ request: CustomerRequest) async throws -> Reply {
        let devices = try await reader.devices(
            ofUser: try name("insider_id", request), tenantID: request.tenantID)
        return .success { writer in
            writer.array("devices") { array in
                for device in devices { array.object { $0.known(device) } }
            }
        }
    }

    /// Erases a user with all data of the user.
    func eraseUser(_ request: CustomerRequest) async throws -> Reply {
        let insiderID = try name("insider_id", request)
        return try await finish(try await store.begin(insiderID, tenantID: request.tenantID), request.claimant)
    }

    /// Erases a device.
    func eraseDevice(_ request: CustomerRequest) async throws -> Reply {
        let key = DeviceKey(insiderID: try name("insider_id", request), udid: try name("udid", request))
        return try await finish(try await store.begin(key, tenantID: request.tenantID), request.claimant)
    }

    /// Erases a device at its own request.
    func eraseDevice(_ request: DeviceRequest) async throws -> Reply {
        let start = try await store.begin(request.key, tenantID: request.tenantID)
        var reply = try await finish(start, request.claimant)
        reply.changesNothing = start.devices == 0
        return reply
    }

    /// Completes an erasure even if the caller leaves: here, or by the due queue if the store is unavailable.
    private func finish(_ start: ErasureStart, _ claimant: Claimant) async throws -> Reply {
        var report = try await carriedOut(start, claimant) ?? .unfinished
        report.devices = start.devices
        return .success { writer in
            writer.object("removed") {
                $0.field("users", start.erasure.isOfUser ? start.users : nil)
                $0.field("devices", report.devices)
                $0.field("tokens", report.tokens)
                $0.field("activities", report.activities)
                $0.field("live_activities_ended", report.ended)
                guard start.erasure.isOfUser else { return }
                $0.field("topics", report.topics)
                $0.field("segments", report.segments)
                $0.field("schedules", report.schedules)
                $0.field("events", report.events)
            }
            writer.field("complete", report.isComplete)
        }
    }

    /// Nil if it takes longer than the reply waits, or cannot continue here; then the due queue completes it.
    private func carriedOut(_ start: ErasureStart, _ claimant: Claimant) async throws -> ErasureReport? {
        guard let place = try await shares.erasures.place(for: claimant, within: patience) else { return nil }
        let (reports, tell) = AsyncStream<ErasureReport?>.makeStream()
        let (service, patience) = (service, patience)
        Task {
            tell.yield(try? await service.erase(start.erasure, after: start.open, patience: patience))
            withExtendedLifetime(place) {}
        }
        let limit = Task {
            try? await Task.sleep(for: patience.duration)
            tell.yield(nil)
        }
        defer { limit.cancel() }
        return await reports.first { _ in true } ?? nil
    }

    /// Returns a name in the path without its escapes.
    private func name(_ parameter: String, _ request: CustomerRequest) throws -> String {
        try JSONValue.name(request.name(parameter), parameter)
    }
}

extension ErasureReport {
    /// The report of an unfinished erasure.
    fileprivate static var unfinished: ErasureReport {
        var report = ErasureReport()
        report.isComplete = false
        return report
    }
}

extension JSONObjectWriter {
    fileprivate mutating func known(_ known: KnownDevice) {
        field("udid", known.key.udid)
        if let device = known.device {
            field("platform", device.platform.rawValue)
            field("os_version", device.osVersion.description)
            field("app_version", device.appVersion)
            field("push_opt_in", device.pushOptIn)
            field("gdpr_consent", device.gdprConsent)
            field("frequent_pushes", device.frequentPushes)
            field("environment", device.environment.rawValue)
        }
        field("last_reported_at", known.lastReportedAt?.rfc3339)
        array("tokens") { array in
            for token in known.tokens {
                array.object {
                    $0.field("kind", token.kind.rawValue)
                    $0.field("activity_type", token.activityType)
                    $0.field("state", token.state.rawValue)
                    $0.field("reported_at", token.reportedAt.rfc3339)
                    $0.field("ends_with", token.ending)
                }
            }
        }
        array("activities") { array in
            for place in known.places {
                array.object {
                    $0.field("activity_id", place.activity.id.description)
                    $0.field("activity_type", place.activity.type)
                    $0.field("device_state", place.state?.rawValue)
                }
            }
        }
    }
}
