import LiveActivity
import ScrapedMetrics
import TerminalDisplay

/// The output of `fanfare top`, as a pure function of the readings.
enum TopScreen {
    /// A gateway's name with its sample, or the reason why it could not be read.
    typealias Row = (name: String, sample: Result<TopSample, ScrapedPage.Unread>)

    /// The unit of a line.
    private enum Quantity {
        case rate, count, duration, bytes, cores
        /// The upper bound of a histogram's bucket.
        case bound

        func text(_ value: Double?) -> String {
            guard let value, !value.isNaN else { return "-" }
            // The page may contain any number.
            let whole = Int(max(0, min(value, 1e15)))
            switch self {
            case .rate: return Format.rate(value)
            case .count: return Format.count(whole)
            case .bytes: return Format.bytes(whole)
            case .cores: return "\(Int(max(0, min(value, 1e6)) * 100))%"
            case .duration: return Format.duration(.nanoseconds(Int64(max(0, min(value, 1e9)) * 1e9)))
            case .bound: return value.isFinite ? "≤ \(Quantity.duration.text(value))" : "longer"
            }
        }
    }

    /// A line of the table, and a member of JSON.
    private struct Line: Sendable {
        let name: String
        let title: String
        let quantity: Quantity
        let value: @Sendable (TopSample) -> Double?

        init(_ name: String, _ title: String, _ quantity: Quantity, _ value: @escaping @Sendable (TopSample) -> Double?)
        {
            (self.name, self.title, self.quantity, self.value) = (name, title, quantity, value)
        }
    }

    private static let lines = [
        Line("pushes_accepted_per_second", "pushes accepted", .rate) { $0.accepted },
        Line("pushes_refused_per_second", "  not accepted", .rate) { $0.refused },
        Line("pushes_in_flight", "  in flight", .count) { $0.inFlight },
        Line("pushes_waiting", "  waiting", .count) { $0.waiting },
        Line("push_answer_p99_seconds", "  answer, p99", .bound) { $0.pushAnswers.quantile(0.99) },
        Line("push_connections", "  connections", .count) { $0.connections },
        Line("broadcasts_unfinished", "broadcasts unfinished", .count) { $0.unfinished },
        Line("jobs_running", "  jobs running", .count) { $0.jobsRunning },
        Line("jobs_waiting", "  jobs waiting", .count) { $0.jobsWaiting },
        Line("broadcast_lag_seconds", "  lag", .duration) { $0.lag },
        Line("requests_per_second", "requests", .rate) { $0.requests },
        Line("requests_4xx_per_second", "  4xx", .rate) { $0.clientErrors },
        Line("requests_5xx_per_second", "  5xx", .rate) { $0.serverErrors },
        Line("request_p99_seconds", "  p99", .bound) { $0.requestDurations.quantile(0.99) },
        Line("clients", "  connections", .count) { $0.clients },
        Line("redis_commands_per_second", "Redis commands", .rate) { $0.commands },
        Line("redis_round_trip_p99_seconds", "  round trip, p99", .bound) { $0.roundTrips.quantile(0.99) },
        Line("redis_memory_bytes", "  memory", .bytes) { $0.redisMemory },
        Line("webhook_attempts_per_second", "webhook attempts", .rate) { $0.webhookAttempts },
        Line("cpu_cores", "processor", .cores) { $0.processor },
        Line("memory_bytes", "memory", .bytes) { $0.memory },
        Line("descriptors", "descriptors", .count) { $0.descriptors },
    ]

    private static let troublesShown = 30

    /// Returns the sum of all gateways that answered; nil if none did.
    private static func total(_ rows: [Row]) -> TopSample? {
        let samples = rows.compactMap { try? $0.sample.get() }
        return samples.isEmpty ? nil : samples.reduce(into: TopSample()) { $0.add($1) }
    }

    private static func reached(_ rows: [Row]) -> Int {
        rows.count { if case .success = $0.sample { true } else { false } }
    }

    /// Returns the table, followed by the problems.
    static func text(_ rows: [Row], _ style: TerminalStyle) -> String {
        let total = total(rows)
        // If the columns are too wide, only the totals are shown.
        let width = rows.reduce(24 + 13) { $0 + max(10, $1.name.count) + 3 }
        let shown = rows.count == 1 || width > style.width ? [] : rows
        let reached = reached(rows)
        let all = reached == rows.count ? "all \(rows.count)" : "\(reached) of \(rows.count)"
        let last = rows.count == 1 ? rows[0].name : all
        var table = Table([Table.Column("")] + (shown.map(\.name) + [last]).map { Table.Column($0, .right) })
        for line in lines {
            let samples = shown.map { try? $0.sample.get() } + [total]
            table.add([line.title] + samples.map { line.quantity.text($0.flatMap(line.value)) })
        }
        let silent = rows.compactMap { row -> String? in
            guard case .failure(let unread) = row.sample else { return nil }
            return "\(row.name): \(unread.description)"
        }
        let troubles = (silent + (total?.troubles.sorted() ?? [])).prefix(troublesShown)
        guard !troubles.isEmpty else { return table.render(style) }
        return table.render(style) + "\n" + troubles.map { "! \(Format.line(String($0.prefix(300))))\n" }.joined()
    }

    /// Returns a JSON object. It omits unknown numbers: quantiles of a time in which nothing ended, and those of a
    /// gateway that was not reached.
    static func json(_ rows: [Row]) -> [UInt8] {
        func write(_ sample: TopSample, _ object: inout JSONObjectWriter) {
            for line in lines {
                if let value = line.value(sample), value.isFinite { object.field(line.name, value) }
            }
            object.field("troubles", sample.troubles.sorted())
        }
        return JSONWriter.object { root in
            root.array("gateways") { array in
                for row in rows {
                    array.object { object in
                        object.field("name", row.name)
                        switch row.sample {
                        case .success(let sample):
                            object.field("reached", true)
                            write(sample, &object)
                        case .failure(let unread):
                            object.field("reached", false)
                            object.field("unread", unread.description)
                        }
                    }
                }
            }
            root.object("all") { object in
                object.field("gateways_reached", reached(rows))
                if let total = total(rows) { write(total, &object) }
            }
        }
    }
}
