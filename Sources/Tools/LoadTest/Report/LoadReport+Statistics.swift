import Histogram
import TimeCore

extension LoadReport.Latency {
    init(_ histogram: Histogram<UInt32>) {
        guard histogram.totalCount > 0 else { return }
        count = Int(histogram.totalCount)
        mean = histogram.mean
        p50 = histogram.valueAtPercentile(50)
        p90 = histogram.valueAtPercentile(90)
        p99 = histogram.valueAtPercentile(99)
        p999 = histogram.valueAtPercentile(99.9)
        max = histogram.max
    }
}

extension LoadReport.Row {
    init(_ name: String, _ latencies: LatencyStatistics, counts: CallStatistics.Counts = .init()) {
        self.name = name
        sent = counts.sent
        succeeded = counts.succeeded
        tooEarly = counts.tooEarly
        rateLimited = counts.rateLimited
        refused = counts.refused
        unanswered = counts.unanswered
        followUps = counts.followUps
        sinceDue = LoadReport.Latency(latencies.sinceDue)
        sinceSent = LoadReport.Latency(latencies.sinceSent)
    }
}

extension LoadReport.Phase {
    init(_ name: String, _ statistics: CallStatistics, _ punctuality: Pacer.Punctuality) {
        self.name = name
        sent = statistics.sum(\.sent)
        succeeded = statistics.sum(\.succeeded)
        tooEarly = statistics.sum(\.tooEarly)
        rateLimited = statistics.sum(\.rateLimited)
        refused = statistics.sum(\.refused)
        unanswered = statistics.sum(\.unanswered)
        followUps = statistics.sum(\.followUps)
        neverSent = statistics.neverSent
        late = punctuality.late
        heldByBound = punctuality.heldByBound
        heldByPlayer = punctuality.heldByPlayer
        worstLateness = punctuality.worst.nanoseconds
        kinds = CallKind.allCases.filter { statistics.counts[$0].sent > 0 }.map {
            LoadReport.Row($0.name, statistics.latencies[$0] ?? LatencyStatistics(), counts: statistics.counts[$0])
        }
        all = LoadReport.Row("all", statistics.all)
        rateLimitedAnswers = LoadReport.Row("rate-limited", statistics.rateLimited)
        refusedAnswers = LoadReport.Row("refused", statistics.refused)
        statuses = statistics.statuses.sorted { $0.key < $1.key }.map { .init(name: String($0.key), count: $0.value) }
        codes = LoadReport.Tally.sorted(statistics.codes)
        losses = LoadReport.Tally.sorted(statistics.losses)
    }
}

extension LoadReport.Tally {
    /// Returns the counts in descending order.
    static func sorted(_ counts: [String: Int]) -> [LoadReport.Tally] {
        counts.map { LoadReport.Tally(name: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }
}
