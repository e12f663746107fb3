import Encodings
import Gateway
import GatewayStore
import Histogram
import LiveActivity
public import Logging
import MockAPNs
import TimeCore

/// The gateway's main flow on one machine without configuration. It registers, starts, syncs, updates and ends a
/// segment, and compares the counts with the providers' counts.
public struct Demo: Sendable {
    private let options: DemoOptions
    private let observer: any DemoObserver
    private let stage: DemoStage
    private static let act = DemoPhones.Act.segment
    private static let registerChunk = 10_000

    /// Runs the demo. Stops its servers before it returns or throws.
    public static func run(
        _ options: DemoOptions, observer: any DemoObserver, logger: Logger
    ) async throws -> DemoReport {
        observer.began("servers", total: nil)
        let stage = try await DemoStage.start(options, logger: logger)
        observer.ended(
            "servers", note: "redis-server, mocks of APNs, its sandbox and FCM (TLS, HTTP/2), a feed, gateway")
        let demo = Demo(options: options, observer: observer, stage: stage)
        do {
            let report = try await demo.run()
            await stage.takeDown()
            return report
        } catch {
            await stage.takeDown()
            throw error
        }
    }

    private func run() async throws -> DemoReport {
        var report = DemoReport(devices: options.devices)
        try await importDevices()
        let id = try await register()
        let start =
            #""content":{"title":"Kick-off","message":"The match begins","content_state":{"home":0,"away":0},"#
            + #""attributes":\#(Demo.act.attributes)}"#
        report.broadcasts.append(try await broadcast("start", "start", id, start))
        try await sync(id, &report)
        for number in 1...max(1, options.updates) {
            let update = #""content":{"content_state":{"home":\#(number),"away":0}}"#
            report.broadcasts.append(try await broadcast("update \(number)", "update", id, update))
        }
        show(#"{"home":\#(max(1, options.updates)),"away":0}"#, "after updates", isOver: false, &report)
        let last = #"{"home":\#(options.updates),"away":0,"over":true}"#
        report.broadcasts.append(try await broadcast("end", "end", id, #""content":{"content_state":\#(last)}"#))
        show(last, "after the end", isOver: true, &report)
        report.checks += checks(report)
        let match = try await DemoMatch(stage, options, observer).run()
        report.broadcasts += match.broadcasts
        report.checks += match.checks
        report.wrongPhones += match.wrongPhones
        report.connections = stage.providers.connections
        return report
    }

    // MARK: Steps

    private func importDevices() async throws {
        observer.began("devices", total: options.devices)
        for first in stride(from: 0, to: options.devices, by: 2000) {
            let batch = (first..<min(options.devices, first + 2000)).map { number in
                let phone = DemoDevice(number: number)
                return (key: phone.key, device: phone.device, token: Optional(phone.startToken))
            }
            try await stage.gateway.store.devices.importDevices(batch, tenantID: stage.tenant.tenantID)
            observer.progressed("devices", done: first + batch.count)
        }
        observer.ended("devices", note: "imported")
    }

    private func register() async throws -> String {
        observer.began("register", total: options.devices)
        let endsAt = (WallTime.now() + .seconds(7200)).rfc3339
        var id = ""
        for first in stride(from: 0, to: options.devices, by: Demo.registerChunk) {
            let range = first..<min(options.devices, first + Demo.registerChunk)
            let ids = range.map { "\"\(DemoDevice(number: $0).key.insiderID)\"" }.joined(separator: ",")
            let users = #""activity_type":"\#(Demo.act.rawValue)","insider_ids":[\#(ids)]"#
            if first == 0 {
                let reply = try await stage.call("register", #"{\#(users),"ends_at":"\#(endsAt)"}"#)
                id = try reply.member("activity_id")?.string ?? ""
            } else {
                _ = try await stage.call("add-users", #"{"activity_id":"\#(id)",\#(users)}"#)
            }
            observer.progressed("register", done: range.upperBound)
        }
        observer.ended("register", note: "activity \(id)")
        return id
    }

    /// Sends a start, update or end, and reports the pushes that arrive at the providers.
    private func broadcast(
        _ name: String, _ event: String, _ id: String, _ content: String
    ) async throws -> DemoReport.Broadcast {
        observer.began(name, total: pushes(event))
        let before = stage.providers.count(event)
        let ledgersBefore = stage.providers.deliveries(event).map(\.count)
        let watching = Task {
            while !Task.isCancelled {
                observer.progressed(name, done: stage.providers.count(event) - before)
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { watching.cancel() }
        let wallStart = UInt64(WallTime.now().milliseconds)
        let start = MonotonicTime.now()
        let body = #"{"activity_id":"\#(id)","activity_type":"\#(Demo.act.rawValue)",\#(content)}"#
        let reply = try await stage.call(event, body)
        let seconds = (MonotonicTime.now() - start).inSeconds
        let entries = zip(stage.providers.deliveries(event), ledgersBefore).flatMap { $0.dropFirst($1) }
        let result = DemoReport.Broadcast(
            name: name, event: event, triggered: Int(try reply.member("sessions_triggered")?.int64 ?? 0), entries,
            since: wallStart, seconds: seconds, cohorts: try DemoReport.Cohort.read(reply))
        observer.progressed(name, done: entries.count)
        observer.ended(name, note: "accepted, half of them within \(result.median) ms")
        return result
    }

    private func sync(_ id: String, _ report: inout DemoReport) async throws {
        // Followers of a channel need not report.
        let phones = (0..<options.devices).map(DemoDevice.init).filter {
            $0.kind != .optedOut && $0.kind != .followingIPhone
        }
        observer.began("sync", total: phones.count)
        let start = MonotonicTime.now()
        var latencies = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
        var done = 0
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            var next = 0
            while done < phones.count {
                while next < phones.count, next - done < options.concurrency {
                    let device = phones[next]
                    next += 1
                    group.addTask {
                        let begin = MonotonicTime.now()
                        try await stage.report("sync", device.syncBody(.segment, activityID: device.knows(id)))
                        if device.isLaunchedAgain {
                            try await stage.report("sync", device.syncBody(.segment, activityID: nil))
                        }
                        return (MonotonicTime.now() - begin).nanoseconds
                    }
                }
                guard let latency = try await group.next() else { break }
                latencies.record(latency)
                done += 1
                if done % 100 == 0 { observer.progressed("sync", done: done) }
            }
        }
        report.syncRate = Double(done) / max(0.000_001, (MonotonicTime.now() - start).inSeconds)
        report.syncMedian = Double(latencies.valueAtPercentile(50)) / 1_000_000
        report.syncPercentile99 = Double(latencies.valueAtPercentile(99)) / 1_000_000
        observer.progressed("sync", done: done)
        observer.ended("sync", note: "update tokens reported")
    }

    // MARK: Counts

    /// Compares the content on each phone with the requested content.
    private func show(_ state: String, _ moment: String, isOver: Bool, _ report: inout DemoReport) {
        let phones = (0..<options.devices).map(DemoDevice.init).filter(\.isEligible)
        let shown = DemoPhones(options.devices, stage.providers).check(
            "right Live Activity \(moment)", Demo.act, state, isOver: isOver, on: phones)
        report.checks.append(shown.check)
        report.wrongPhones += shown.differences
    }

    private func checks(_ report: DemoReport) -> [DemoReport.Check] {
        var checks: [DemoReport.Check] = report.broadcasts.flatMap { broadcast in
            let pushes = pushes(broadcast.event)
            return [
                DemoReport.Check(
                    name: "\(broadcast.name): counted by the gateway", expected: pushes, found: broadcast.triggered),
                DemoReport.Check(
                    name: "\(broadcast.name): accepted by the providers", expected: pushes, found: broadcast.accepted),
                DemoReport.Check(
                    name: "\(broadcast.name): target phones", expected: eligible, found: broadcast.phones),
            ] + cohortChecks(broadcast)
        }
        for event in ["start", "update", "end"] {
            let times = event == "update" ? max(1, options.updates) : 1
            let ofPhones = stage.providers.deliveries(event).joined().filter { !$0.token.isEmpty }
            let byToken = Dictionary(grouping: ofPhones, by: \.token)
            checks.append(
                DemoReport.Check(
                    name: "phones with exactly \(times) \(event) push\(times == 1 ? "" : "es") of their own",
                    expected: event == "start" ? eligible : eligible - count(.followingIPhone),
                    found: byToken.values.count { $0.count == times }))
        }
        return checks
    }

    private func count(_ kind: DemoDevice.Kind) -> Int { DemoDevice.count(kind, of: options.devices) }

    /// The number of phones that accept pushes.
    private var eligible: Int { options.devices - count(.optedOut) }

    /// Returns the number of pushes of a broadcast. After the start, one push to the channel reaches all its followers.
    private func pushes(_ event: String) -> Int {
        let following = count(.followingIPhone)
        return event == "start" ? eligible : eligible - following + min(1, following)
    }

    /// Returns checks of a reply's cohorts. A reply has cohorts only if there are several, or one is a channel.
    private func cohortChecks(_ broadcast: DemoReport.Broadcast) -> [DemoReport.Check] {
        let following = count(.followingIPhone)
        let cohorts = [
            ("apns", count(.iPhone) + count(.developersIPhone)),
            ("channel", broadcast.event == "start" ? following : min(1, following)), ("fcm", count(.android)),
        ].filter { $0.1 > 0 }
        guard cohorts.count > 1 else { return [] }
        return cohorts.map { name, expected in
            DemoReport.Check(
                name: "\(broadcast.name): accepted of the cohort \(name)", expected: expected,
                found: broadcast.cohorts.first { $0.name == name }?.accepted ?? 0)
        }
    }
}

extension DemoReport.Broadcast {
    /// - Parameters:
    ///   - deliveries: The pushes that arrived at the providers.
    ///   - start: The time of the call, in milliseconds since 1970.
    init(
        name: String, event: String, triggered: Int, _ deliveries: [DemoProviders.Delivery], since start: UInt64,
        seconds: Double, cohorts: [DemoReport.Cohort] = []
    ) {
        let times = deliveries.map { Int($0.time - min($0.time, start)) }.sorted()
        func percentile(_ share: Double) -> Int { times.isEmpty ? 0 : times[Int(Double(times.count - 1) * share)] }
        self.init(
            name: name, event: event, triggered: triggered, accepted: deliveries.count { $0.isAccepted },
            phones: deliveries.reduce(0) { $0 + ($1.isAccepted ? $1.phones : 0) }, cohorts: cohorts, seconds: seconds,
            median: percentile(0.5), percentile99: percentile(0.99), last: percentile(1))
    }
}
