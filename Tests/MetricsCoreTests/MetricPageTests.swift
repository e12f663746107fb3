import MetricsCore
import ScrapedMetrics
import Testing

@Suite("The page of metrics")
struct MetricPageTests {
    private func text(_ page: MetricPage) -> String { String(decoding: page.text(), as: UTF8.self) }

    @Test("OpenMetrics has it in its own way: families of counters without their ending, fractions, and an end")
    func openMetrics() {
        var page = MetricPage()
        page.gauge("b_seconds", "Says \"two\".") { $0.keepLargest(nanoseconds: 2_000_000_000) }
        page.counter("a_total", "One.") { $0.add(2, ["code": "200"]) }
        page.histogram("c_seconds", "Three.") {
            var histogram = LatencyHistogram(bounds: 15)
            histogram.record(nanoseconds: 700_000_000)
            $0.add(histogram.snapshot(droppingFirst: 13))
        }
        #expect(
            String(decoding: page.text(.openMetrics), as: UTF8.self) == #"""
                # HELP a One.
                # TYPE a counter
                a_total{code="200"} 2
                # HELP b_seconds Says \"two\".
                # TYPE b_seconds gauge
                b_seconds 2
                # HELP c_seconds Three.
                # TYPE c_seconds histogram
                c_seconds_bucket{le="0.512"} 0
                c_seconds_bucket{le="1.024"} 1
                c_seconds_bucket{le="+Inf"} 1
                c_seconds_sum 0.7
                c_seconds_count 1
                # EOF

                """#)
    }

    @Test(
        "The format is Prometheus's own, unless the reader likes OpenMetrics as much",
        arguments: [
            (nil, MetricFormat.prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1", .openMetrics),
            ("text/plain;q=0.9, application/openmetrics-text; q=0.5", .prometheus),
            ("Application/OpenMetrics-Text; q=0", .prometheus),
        ] as [(String?, MetricFormat)])
    func negotiation(_ accept: String?, _ format: MetricFormat) {
        #expect(MetricFormat(accept: accept) == format)
    }

    @Test("Counters, gauges and histograms are written byte for byte as the format has them")
    func example() {
        var page = MetricPage()
        page.gauge("b_seconds", "Two.") { $0.keepLargest(nanoseconds: 1_500_000_000) }
        page.counter("a_total", "One.") {
            $0.add(2, ["route": "/x", "code": "200"])
            $0.add(1, ["route": "/x", "code": "404"])
        }
        page.histogram("c_seconds", "Three.") {
            var histogram = LatencyHistogram(bounds: 2)
            for time: UInt64 in [62_500, 62_501, 400_000] { histogram.record(nanoseconds: time) }
            $0.add(histogram.snapshot(), ["key": "v"])
        }
        #expect(
            text(page) == """
                # HELP a_total One.
                # TYPE a_total counter
                a_total{code="200",route="/x"} 2
                a_total{code="404",route="/x"} 1
                # HELP b_seconds Two.
                # TYPE b_seconds gauge
                b_seconds 1.5
                # HELP c_seconds Three.
                # TYPE c_seconds histogram
                c_seconds_bucket{key="v",le="0.0000625"} 1
                c_seconds_bucket{key="v",le="0.000125"} 2
                c_seconds_bucket{key="v",le="+Inf"} 3
                c_seconds_sum{key="v"} 0.000525001
                c_seconds_count{key="v"} 3

                """)
    }

    @Test("Labels and helps with quotes, backslashes and line feeds come out as they went in")
    func escapes() throws {
        let values = ["\"", "\\", "\n", "\\n", "a\"b\\c\nd", "", "ü€🎉", "{},=", " "]
        var page = MetricPage()
        page.counter("a_total", "A \"help\" with \\ and\na new line.") { family in
            for value in values { family.add(1, ["value": value]) }
        }
        let read = try ScrapedPage(text(page))
        #expect(Set(read.values.keys.compactMap { $0.labels["value"] }) == Set(values))
        #expect(read.helps["a_total"] == #"A "help" with \\ and\na new line."#)
    }

    @Test("What is added to the same labels in any order is one series")
    func sums() throws {
        var page = MetricPage()
        page.counter("a_total", "One.") {
            $0.add(2, ["x": "1", "y": "2"])
            $0.add(3, ["y": "2", "x": "1"])
        }
        page.counter("a_total", "One.") { $0.add(4, ["x": "1", "y": "2"]) }
        page.gauge("age_seconds", "Two.") {
            $0.keepLargest(nanoseconds: 3_000_000_000)
            $0.keepLargest(nanoseconds: 2_000_000_000)
        }
        page.gauge("age_seconds", "Two.") { $0.keepLargest(nanoseconds: 1_000_000_000) }
        let read = try ScrapedPage(text(page))
        #expect(read.value("a_total", ["x": "1", "y": "2"]) == 9)
        #expect(read.value("age_seconds") == 3)
    }

    @Test("Numbers that are no integers, and those that are no numbers, can be read")
    func numbers() throws {
        var page = MetricPage()
        page.gauge("g", "Numbers.") {
            for (name, value) in [
                ("half", 0.5), ("small", 1e-9), ("large", 1e300), ("inf", .infinity), ("minus", -.infinity),
                ("whole", -3),
            ] { $0.set(value, ["n": name]) }
            $0.set(.nan, ["n": "nan"])
        }
        let read = try ScrapedPage(text(page))
        #expect(read.value("g", ["n": "half"]) == 0.5 && read.value("g", ["n": "small"]) == 1e-9)
        #expect(read.value("g", ["n": "large"]) == 1e300 && read.value("g", ["n": "whole"]) == -3)
        #expect(read.value("g", ["n": "inf"]) == .infinity && read.value("g", ["n": "minus"]) == -.infinity)
        #expect(read.value("g", ["n": "nan"])?.isNaN == true)
    }

    @Test("Any page at random is read back with the same numbers, and is written the same each time")
    func random() throws {
        for seed in 0..<50 {
            var random = Generator(state: UInt64(seed))
            var page = MetricPage()
            var expected: [ScrapedPage.Series: Double] = [:]
            for family in 0..<Int.random(in: 1...5, using: &random) {
                page.counter("family_\(family)_total", "Family \(family).") { metrics in
                    for _ in 0..<Int.random(in: 0...20, using: &random) {
                        let value = String((0..<3).map { _ in "\\\"\nab".randomElement(using: &random) ?? "a" })
                        let count = UInt64.random(in: 0...1000, using: &random)
                        metrics.add(count, ["l": value])
                        expected[.init(name: "family_\(family)_total", labels: ["l": value]), default: 0] +=
                            Double(count)
                    }
                }
            }
            #expect(try ScrapedPage(text(page)).values == expected, "seed \(seed)")
            #expect(page.text() == page.text())
        }
    }

    @Test(
        "The reader refuses what is not the format",
        arguments: [
            "a_total 1", "# HELP a_total x\n# TYPE a_total counter\na_total 1\na_total 2\n",
            "# HELP a_total x\n# TYPE a_total counter\na_total -1\n", "a_total 1\n",
            "# HELP a x\n# TYPE a counter\na 1\n", "# HELP a x\n# TYPE a gauge\nb 1\n",
            "# HELP a x\n# TYPE a gauge\na{l=\"x} 1\n", "# HELP a x\n# TYPE a gauge\na{l=\"\\x\"} 1\n",
            "# HELP a x\n# TYPE a gauge\na{l=\"1\",l=\"2\"} 1\n", "# HELP a x\n# TYPE a gauge\na  1\n",
            "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
            "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
            "# HELP a x\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
        ])
    func strict(_ text: String) {
        #expect(throws: ScrapedPage.Fault.self) { try ScrapedPage(text) }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }
}
