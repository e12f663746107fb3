/// Everything that is told at one scrape, in the order in which it is written: by name, so that two scrapes can be
/// compared.
public struct MetricPage: Sendable {
    private var families: [String: MetricFamily] = [:]

    public init() {}

    /// The names of all families, in ascending order.
    public var names: [String] { families.keys.sorted() }

    /// - Parameters:
    ///   - name: in base units, ending in `_total`.
    ///   - help: one sentence.
    ///   - body: adds the series. A family without series is told of all the same.
    public mutating func counter(_ name: String, _ help: String, _ body: (inout MetricFamily) -> Void) {
        add(MetricFamily(name, .counter, help), body)
    }

    /// Likewise, for what goes up and down; the name ends in the unit.
    public mutating func gauge(_ name: String, _ help: String, _ body: (inout MetricFamily) -> Void) {
        add(MetricFamily(name, .gauge, help), body)
    }

    /// Likewise, for times in buckets; the name ends in `_seconds`.
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

    /// The whole page.
    public func text(_ format: MetricFormat = .prometheus) -> [UInt8] {
        var writer = MetricText(format)
        for name in names { if let family = families[name] { writer.write(family) } }
        return writer.finish()
    }
}
