/// A page of metrics, parsed strictly as Prometheus's text format. Any deviation from the format or its conventions is
/// an error.
public struct ScrapedPage: Sendable {
    /// The identity of a sample.
    public struct Series: Hashable, Sendable {
        /// The name of the metric; samples of a histogram have a suffix.
        public let name: String
        /// The label values by name.
        public let labels: [String: String]

        public init(name: String, labels: [String: String]) {
            self.name = name
            self.labels = labels
        }
    }

    /// A violation of the format.
    public struct Fault: Error, CustomStringConvertible {
        /// The line number from 1; 0 for a fault of the whole page.
        public let line: Int
        /// A human-readable explanation.
        public let reason: String
        public var description: String { "line \(line): \(reason)" }
    }

    /// The types by metric family.
    public private(set) var types: [String: String] = [:]
    /// The help texts by metric family.
    public private(set) var helps: [String: String] = [:]
    /// The sample values by series.
    public private(set) var values: [Series: Double] = [:]

    private var number = 0
    private var current: String?

    /// Parses a page. Throws the first fault.
    public init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Fault(line: 0, reason: "the last line does not end") }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            if line.hasPrefix("# HELP ") {
                try help(line.dropFirst(7))
            } else if line.hasPrefix("# TYPE ") {
                try type(line.dropFirst(7))
            } else {
                try sample(line)
            }
        }
        for (name, type) in types where type == "histogram" { try checkHistogram(name) }
    }

    /// Returns the value of the series with exactly these labels; nil if there is none.
    public func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        values[Series(name: name, labels: labels)]
    }

    /// Returns the sum of all series with at least these labels.
    public func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
        series(name, labels).reduce(0) { $0 + $1.value }
    }

    /// Returns all series with at least these labels, in no order. Each has its complete labels.
    public func series(_ name: String, _ labels: [String: String] = [:]) -> [(labels: [String: String], value: Double)]
    {
        values.filter { series, _ in
            series.name == name && labels.allSatisfy { series.labels[$0.key] == $0.value }
        }.map { ($0.key.labels, $0.value) }
    }

    private func fault(_ reason: String) -> Fault { Fault(line: number, reason: reason) }

    private mutating func help(_ rest: Substring) throws {
        let parts = rest.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { throw fault("HELP without a text") }
        let name = String(parts[0])
        guard ScrapedPage.isName(name, colons: true), helps[name] == nil else { throw fault("HELP of \(name)") }
        helps[name] = String(parts[1])
        current = name
    }

    private mutating func type(_ rest: Substring) throws {
        let parts = rest.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, current == String(parts[0]), types[String(parts[0])] == nil else {
            throw fault("TYPE of \(rest) does not follow its HELP")
        }
        guard ["counter", "gauge", "histogram"].contains(parts[1]) else { throw fault("type \(parts[1])") }
        let isTotal = parts[0].hasSuffix("_total")
        guard isTotal == (parts[1] == "counter") else { throw fault("\(parts[0]) is a \(parts[1])") }
        types[String(parts[0])] = String(parts[1])
    }

    private mutating func sample(_ line: Substring) throws {
        var reader = SampleReader(line)
        guard let series = reader.series(), let value = reader.value() else { throw fault("\(line)") }
        guard let family = current, let type = types[family] else { throw fault("a series before its TYPE: \(line)") }
        let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family + $0 == series.name }) else {
            throw fault("\(series.name) is among those of \(family)")
        }
        guard (series.labels["le"] != nil) == series.name.hasSuffix("_bucket") else { throw fault("le: \(line)") }
        guard values.updateValue(value, forKey: series) == nil else { throw fault("twice: \(line)") }
        if type != "gauge", !(value >= 0) { throw fault("negative: \(line)") }
    }

    private func checkHistogram(_ name: String) throws {
        var groups: [[String: String]: [(bound: Double, count: Double)]] = [:]
        for (series, value) in values where series.name == "\(name)_bucket" {
            var labels = series.labels
            guard let le = labels.removeValue(forKey: "le"), let bound = le == "+Inf" ? .infinity : Double(le) else {
                throw Fault(line: 0, reason: "a bound of \(name)")
            }
            groups[labels, default: []].append((bound, value))
        }
        for (labels, buckets) in groups {
            let ordered = buckets.sorted { $0.bound < $1.bound }
            for (smaller, larger) in zip(ordered, ordered.dropFirst())
            where smaller.count > larger.count || smaller.bound == larger.bound {
                throw Fault(line: 0, reason: "\(name)\(labels): buckets do not grow")
            }
            guard ordered.last?.bound == .infinity, ordered.last?.count == value("\(name)_count", labels),
                value("\(name)_sum", labels) != nil
            else { throw Fault(line: 0, reason: "\(name)\(labels): +Inf, count or sum") }
        }
        let counts = values.keys.filter { $0.name == "\(name)_count" || $0.name == "\(name)_sum" }
        guard counts.allSatisfy({ groups[$0.labels] != nil }) else {
            throw Fault(line: 0, reason: "\(name): a count without buckets")
        }
    }

    static func isName(_ text: some StringProtocol, colons: Bool) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
            case UInt8(ascii: ":"): colons
            default: false
            }
        }
    }
}

/// Parses `name{label="value",…} number`.
private struct SampleReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ line: Substring) {
        bytes = Array(line.utf8)
    }

    mutating func series() -> ScrapedPage.Series? {
        guard let name = name(), ScrapedPage.isName(name, colons: true) else { return nil }
        var labels: [String: String] = [:]
        if take("{") {
            repeat {
                guard let label = self.name(), ScrapedPage.isName(label, colons: false), !label.hasPrefix("__"),
                    take("="), take("\""), let value = text(), labels.updateValue(value, forKey: label) == nil
                else { return nil }
            } while take(",")
            guard take("}") else { return nil }
        }
        return take(" ") ? ScrapedPage.Series(name: name, labels: labels) : nil
    }

    mutating func value() -> Double? {
        switch String(decoding: bytes[index...], as: UTF8.self) {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        case let text:
            text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.e".utf8.contains($0) } ? Double(text) : nil
        }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard index < bytes.count, bytes[index] == character.asciiValue else { return false }
        index += 1
        return true
    }

    private mutating func name() -> String? {
        let start = index
        while index < bytes.count, !"{}=\", ".utf8.contains(bytes[index]) { index += 1 }
        return start < index ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Reads the text up to and including the closing quote.
    private mutating func text() -> String? {
        var result: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard index < bytes.count else { return nil }
                switch bytes[index] {
                case UInt8(ascii: "n"): result.append(0x0A)
                case UInt8(ascii: "\\"), UInt8(ascii: "\""): result.append(bytes[index])
                default: return nil
                }
                index += 1
            default: result.append(byte)
            }
        }
        return nil
    }
}
