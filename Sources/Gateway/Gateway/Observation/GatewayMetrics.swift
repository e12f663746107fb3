import Broadcasts
import Feeds
import GatewayAPI
import GatewayStore
import MetricsCore
import PushClient
import RedisClient

/// Collects the counts of all parts for `/metrics`, at each scrape.
struct GatewayMetrics: Sendable {
    let parts: GatewayParts
    let requests: RequestMetrics
    let reports: DeviceReports
    let shares: GatewayShares
    let connections: ClientConnections
    let tls: ListenerTLS?

    func page(_ format: MetricFormat) async -> [UInt8] {
        let (storage, jobs, build) = (parts.storage, parts.jobs, parts.options.build)
        let (watch, events) = (storage.watch, storage.events)
        var page = MetricPage()
        requests.write(to: &page)
        await reports.write(to: &page)
        connections.metrics.write(to: &page, maximum: connections.maximum)
        for client in parts.providers.clients { page.add(await client.snapshot(), provider: client.options.url) }
        page.add(parts.providers.channelKeepers)
        page.add(parts.feeds.snapshots)
        page.add(await storage.redis.snapshot())
        page.add(watch.checks, vanished: watch.vanishedBroadcasts)
        page.add(watch.memoryUse)
        page.add(tenants: watch.tenantCount, topicStartDelay: jobs.topicStarts.longest())
        page.add(watch.commits)
        page.add(storage.store.quotaRefusals)
        let work = await jobs.snapshot()
        page.add(work)
        page.add(shares.usage + (await events.usage()), broadcasts: work)
        page.add(await events.snapshot())
        page.add(parts.audit.counts)
        page.add(tls?.snapshot)
        page.addProcess()
        page.gauge("fanfare_build_info", "Always 1, with the gateway's version and commit as labels.") {
            $0.add(1, ["version": build.version, "commit": build.commit, "swift": build.compiler])
        }
        return page.text(format)
    }
}

/// The version and build of a gateway.
public struct BuildNames: CustomStringConvertible, Equatable, Sendable {
    /// The gateway's version, like `0.1.0`.
    public var version: String
    /// The commit that the gateway was built from; empty if unknown.
    public var commit: String
    /// The compiler's version.
    public var compiler: String

    /// Sets `compiler` from the compiler in use.
    public init(version: String, commit: String = "") {
        self.version = version
        self.commit = commit
        #if swift(>=6.3)
            compiler = "6.3"
        #else
            compiler = "6.2"
        #endif
    }

    /// `0.1.0 (1a2b3c4d5e6f)`, or the version alone if the commit is unknown.
    public var description: String { commit.isEmpty ? version : "\(version) (\(commit))" }
}
