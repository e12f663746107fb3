/// All series of one name. Adding to an existing series changes it, so no series appears twice.
public struct MetricFamily: Equatable, Sendable {
    /// The supported Prometheus types.
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A name and a value. Its labels identify a series.
    public struct Label: Hashable, Sendable {
        /// The name, from a fixed list in the code and never from a request.
        public let name: String
        /// The value, from a fixed list in the code and never from a request.
        public let value: String
    }

    enum Value: Equatable, Sendable {
        case number(Double)
        case count(UInt64)
        /// Nanoseconds, which are written as seconds.
        case time(UInt64)
        case histogram(HistogramSnapshot)
    }

    /// The name of all its series.
    public let name: String
    /// One sentence for people.
    public let help: String
    /// The type of the series.
    public let kind: Kind
    private(set) var series: [[Label]: Value] = [:]

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// Labels by name and value. For a repeated name the last value counts.
    public typealias Labels = KeyValuePairs<String, String>

    /// Adds to a counter or gauge.
    public mutating func add(_ count: some BinaryInteger, _ labels: Labels = [:]) {
        let added = UInt64(clamping: count)
        change(labels) { present in
            if case .count(let value) = present { .count(value &+ added) } else { .count(added) }
        }
    }

    /// Adds a time in nanoseconds to a counter of seconds.
    public mutating func add(nanoseconds: UInt64, _ labels: Labels = [:]) {
        change(labels) { present in
            if case .time(let value) = present { .time(value &+ nanoseconds) } else { .time(nanoseconds) }
        }
    }

    /// Raises a gauge of seconds to the given value if that is larger.
    public mutating func keepLargest(nanoseconds: UInt64, _ labels: Labels = [:]) {
        change(labels) { present in
            if case .time(let value) = present { .time(max(value, nanoseconds)) } else { .time(nanoseconds) }
        }
    }

    /// Sets a gauge's value.
    public mutating func set(_ value: Double, _ labels: Labels = [:]) {
        change(labels) { _ in .number(value) }
    }

    /// Adds to a histogram.
    public mutating func add(_ histogram: HistogramSnapshot, _ labels: Labels = [:]) {
        change(labels) { present in
            guard case .histogram(var sum) = present else { return .histogram(histogram) }
            sum.add(histogram)
            return .histogram(sum)
        }
    }

    /// Adds all series of another family of the same name.
    mutating func add(_ other: MetricFamily) {
        for (labels, value) in other.series {
            switch (series[labels], value) {
            case (.count(let mine)?, .count(let more)): series[labels] = .count(mine &+ more)
            case (.time(let mine)?, .time(let more)):
                series[labels] = .time(kind == .gauge ? max(mine, more) : mine &+ more)
            case (.histogram(var mine)?, .histogram(let more)):
                mine.add(more)
                series[labels] = .histogram(mine)
            default: series[labels] = value
            }
        }
    }

    private mutating func change(_ labels: Labels, _ body: (Value?) -> Value) {
        var unique: [String: String] = [:]
        for (name, value) in labels { unique[name] = value }
        let key = unique.sorted { $0.key < $1.key }.map { Label(name: $0.key, value: $0.value) }
        series[key] = body(series[key])
    }
}
