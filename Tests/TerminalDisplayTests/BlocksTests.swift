import TerminalDisplay
import Testing

@Suite("Tables and summaries")
struct BlocksTests {
    private func table() -> Table {
        var table = Table([
            .init("Broadcast"), .init("Pushes", .right), .init("Rate", .right), .init("Slowest", .right),
        ])
        table.add("start", "20,000", "12.3 k/s", "850 µs")
        table.add("update", "1,000", "850 /s", "2:05 min")
        table.add("end")
        return table
    }

    private func summary() -> Summary {
        var summary = Summary("Demo")
        summary.add("devices", "20,000")
        summary.check("start", "20,000 of 20,000 accepted", passed: true)
        summary.check("update", "19,998 of 20,000 accepted", passed: false)
        summary.addGap()
        summary.add("slowest", "850 µs")
        return summary
    }

    @Test("A table aligns words left and numbers right")
    func aligned() {
        #expect(
            table().render(.test()) == """
                Broadcast   Pushes       Rate    Slowest
                ────────────────────────────────────────
                start       20,000   12.3 k/s     850 µs
                update       1,000     850 /s   2:05 min
                end

                """)
    }

    @Test("A table cuts its widest columns to the terminal's width")
    func cut() {
        var table = Table([.init("Name"), .init("Reason"), .init("Count", .right)])
        table.add("a name of some length", "a reason that goes on and on", "12")
        table.add("數字", "ok", "3,400", "too many")
        #expect(
            table.render(.test(width: 40)) == """
                Name             Reason            Count
                ────────────────────────────────────────
                a name of som…   a reason that …      12
                數字             ok                3,400

                """)
    }

    @Test("A table is plain ASCII where it must be, and coloured where it may be")
    func looks() {
        var table = Table([.init("A"), .init("B", .right)])
        table.add("µ→", "1\n2")
        #expect(table.render(.test(unicode: false)) == "A       B\n---------\nu->   1 2\n")
        #expect(
            table.render(.test(color: true))
                == "\u{1B}[1mA      B\u{1B}[0m\n\u{1B}[2m────────\u{1B}[0m\nµ→   1 2\n")
        #expect(Table([]).render(.test()) == "")
    }

    @Test("A summary is a box as wide as it must be")
    func box() {
        #expect(
            summary().render(.test()) == """
                ╭─ Demo ────────────────────────────────╮
                │   devices   20,000                    │
                │ ✓ start     20,000 of 20,000 accepted │
                │ ✗ update    19,998 of 20,000 accepted │
                │                                       │
                │   slowest   850 µs                    │
                ╰───────────────────────────────────────╯

                """)
        #expect(
            summary().render(.test(unicode: false)) == """
                +- Demo ---------------------------------+
                |    devices   20,000                    |
                | ok start     20,000 of 20,000 accepted |
                | !! update    19,998 of 20,000 accepted |
                |                                        |
                |    slowest   850 us                    |
                +----------------------------------------+

                """)
    }

    @Test("A summary is no wider than the terminal")
    func narrow() {
        #expect(
            summary().render(.test(width: 30)) == """
                ╭─ Demo ─────────────────────╮
                │   devices   20,000         │
                │ ✓ start     20,000 of 20,… │
                │ ✗ update    19,998 of 20,… │
                │                            │
                │   slowest   850 µs         │
                ╰────────────────────────────╯

                """)
        var long = Summary(String(repeating: "title ", count: 20))
        long.check(String(repeating: "label ", count: 20), String(repeating: "value ", count: 20), passed: true)
        for width in 20...130 {
            let widths = Set(long.render(.test(width: width)).split(separator: "\n").map(\.count))
            #expect(widths.count == 1)
            #expect((widths.first ?? .max) <= width)
        }
    }

    @Test("A summary knows whether every check passed, and its title alone makes a box")
    func outcome() {
        var checks = Summary("All of it")
        #expect(checks.render(.test()) == "╭─ All of it ─╮\n╰─────────────╯\n")
        checks.add("a", "b")
        checks.check("a", "b", passed: true)
        #expect(checks.allPassed)
        checks.check("a", "b", passed: false)
        checks.check("a", "b", passed: true)
        #expect(!checks.allPassed)
        #expect(!summary().allPassed)
    }

    @Test("A summary's colours do not move its frame")
    func colors() {
        var summary = Summary("S")
        summary.check("a", "b", passed: true)
        let text = summary.render(.test(color: true))
        #expect(text.contains("\u{1B}[32m✓\u{1B}[0m a   b"))
        var bare = text
        for code in ["\u{1B}[0m", "\u{1B}[1m", "\u{1B}[2m", "\u{1B}[32m"] {
            bare = bare.split(separator: code).joined()
        }
        #expect(bare == "╭─ S ─────╮\n│ ✓ a   b │\n╰─────────╯\n")
    }
}
