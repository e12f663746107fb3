/// All metrics of one scrape, sorted by name so that two scrapes can be compared.
public struct MetricPage: Sendable {
    private var families: [String: MetricFamily] = [:]

    public init() {}

    /// The names of all families, in ascending order.
    public var names: [String] { families.keys.sorted() }

    /// Adds a counter.
    /// - Parameters:
    ///   - name: In base units, ending in `_total`.
    ///   - help: One sentence.
    ///   - body: Adds the series. A family without series is written too.
    public mutating func counter(_ name: String, _ help: String, _ body: (inout MetricFamily) -> Void) {
        add(MetricFamily(name, .counter, help), body)
    }

    /// Adds a gauge; the name ends in the unit.
    public mutating func gauge(_ name: String, _ help: String, _ body: (inout MetricFamily) -> Void) {
        add(MetricFamily(name, .gauge, help), body)
    }

    /// Adds a histogram of durations; the name ends in `_seconds`.
    public mutating func histogram(_ name: String, _ help: String, _ body: (inout MetricFamily) -> Void) {
        add(MetricFamily(name, .histogram, help), body)
    }

    private mutating func add(_ family: MetricFamily, _ body: (inout MetricFamily) -> Void) {
        var family = family
        body(&family)
        if families[family.name] == nil {
            families[family.name] = family
        } else {
            families[family.name]?.add(family)
        }
    }

    /// Returns the whole page.
    public func text(_ format: MetricFormat = .prometheus) -> [UInt8] {
        var writer = MetricText(format)
        for name in names { if let family = families[name] { writer.write(family) } }
        return writer.finish()
    }
}
