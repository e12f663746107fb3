import Synchronization
import Testing

@testable import TerminalDisplay

/// A display with a manual clock, and its output.
private final class Recorded: Sendable {
    private let state = Mutex((text: "", now: Duration.zero, columns: 80))

    func display(_ style: TerminalStyle) -> ProgressDisplay {
        ProgressDisplay(
            style: style, labelWidth: 8, columns: { self.state.withLock { $0.columns } },
            write: { text in self.state.withLock { $0.text += text } }, now: { self.state.withLock { $0.now } })
    }

    func wait(_ milliseconds: Int) { state.withLock { $0.now += .milliseconds(milliseconds) } }

    func resize(_ columns: Int) { state.withLock { $0.columns = columns } }

    /// Returns the output since the last call.
    func written() -> String {
        state.withLock { state in
            defer { state.text = "" }
            return state.text
        }
    }
}

@Suite("A progress display")
struct ProgressDisplayTests {
    @Test("draws its lines again in place, and keeps those that ended above them")
    func terminal() {
        let recorded = Recorded()
        let display = recorded.display(.test(width: 80))
        let first = display.begin("register", total: 200)
        #expect(recorded.written() == "  register                            0 / 200    0%        0/s   -:--\n")
        recorded.wait(100)
        let second = display.begin("import")
        #expect(
            recorded.written() == "\u{1B}[1A\r\u{1B}[J"
                + "  register                            0 / 200    0%        0/s   -:--\n"
                + "  import   ███                              0        0/s   0:00\n")
        recorded.wait(400)
        first.advance(to: 100)
        #expect(
            recorded.written() == "\u{1B}[2A\r\u{1B}[J"
                + "  register ███████████              100 / 200   50%      200/s   0:01 left\n"
                + "  import       ███                          0        0/s   0:00\n")
        recorded.wait(50)
        first.advance(to: 200)
        #expect(recorded.written() == "")
        first.finish("all of them")
        #expect(
            recorded.written() == "\u{1B}[2A\r\u{1B}[J"
                + "✓ register 200 in 550 ms   364 /s   all of them\n"
                + "  import       ███                          0        0/s   0:00\n")
        recorded.wait(50)
        second.advance(by: 7)
        second.fail("line 8 is no JSON")
        #expect(
            recorded.written() == "\u{1B}[1A\r\u{1B}[J"
                + "✗ import   7 after 500 ms   line 8 is no JSON\n")
    }

    @Test("draws at most ten times a second")
    func pace() {
        let recorded = Recorded()
        let display = recorded.display(.test())
        let step = display.begin("start", total: 10_000)
        var drawings = 1
        _ = recorded.written()
        for done in 1...10_000 {
            recorded.wait(1)
            step.advance(to: done)
            if !recorded.written().isEmpty { drawings += 1 }
        }
        #expect(drawings == 101)
        recorded.wait(100)
        display.refresh()
        #expect(recorded.written().contains("100%"))
    }

    @Test("writes one line for each end where nothing can be drawn in place")
    func pipe() {
        let recorded = Recorded()
        let display = recorded.display(.test(interactive: false))
        let step = display.begin("register", total: 20_000)
        for done in stride(from: 0, through: 20_000, by: 1000) {
            recorded.wait(100)
            step.advance(to: done)
        }
        display.note("half of it\u{7}")
        step.finish()
        step.finish()
        step.fail("too late")
        step.advance(by: 1)
        let other = display.begin("update", total: 3)
        recorded.wait(2)
        other.fail(String(repeating: "a long reason ", count: 8))
        display.begin("warm up").finish()
        #expect(
            recorded.written() == "half of it \n✓ register 20,000 in 2.10 s   9.52 k/s\n"
                + "✗ update   0 / 3 after 2.00 ms   \(String(repeating: "a long reason ", count: 8))\n"
                + "✓ warm up  0 s\n")
    }

    @Test("follows the width of its window, and cuts what would wrap")
    func resized() {
        let recorded = Recorded()
        let display = recorded.display(.test(width: 80))
        let step = display.begin("a long name", total: 2)
        recorded.resize(30)
        recorded.wait(100)
        step.advance(to: 1)
        _ = recorded.written()
        recorded.wait(100)
        step.advance(to: 1)
        #expect(recorded.written() == "\u{1B}[1A\r\u{1B}[J  a long … ██████         50%\n")
        step.fail("a reason that is too long for this")
        #expect(recorded.written() == "\u{1B}[1A\r\u{1B}[J✗ a long … 1 / 2 after 200 m…\n")
    }

    @Test("counts the lines that have no room")
    func manyLines() {
        let recorded = Recorded()
        let display = recorded.display(.test())
        let steps = (0..<15).map { display.begin("step \($0)", total: 1) }
        recorded.wait(100)
        _ = recorded.written()
        display.refresh()
        let lines = recorded.written().split(separator: "\n")
        #expect(lines.count == 13)
        #expect(lines.last == "  and 3 more")
        for step in steps { step.finish() }
        #expect(recorded.written().hasSuffix("✓ step 14  100 ms\n"))
    }

    @Test("is painted in colours, or in ASCII")
    func looks() {
        let recorded = Recorded()
        let colored = recorded.display(.test(color: true)).begin("start")
        _ = recorded.written()
        colored.finish()
        #expect(recorded.written() == "\u{1B}[1A\r\u{1B}[J\u{1B}[32m✓\u{1B}[0m start    0 s\n")
        let plain = recorded.display(.test(interactive: false, unicode: false))
        let step = plain.begin("start")
        recorded.wait(1)
        step.advance(to: 5)
        step.fail("köln…")
        #expect(recorded.written() == "!! start    5 after 1.00 ms   k?ln...\n")
    }

    @Test("takes reports from many threads and loses none")
    func threads() async {
        let recorded = Recorded()
        let display = recorded.display(.test(interactive: false))
        let step = display.begin("start", total: 8000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { step.advance(by: 1) } }
            }
        }
        recorded.wait(1000)
        step.finish()
        #expect(recorded.written() == "✓ start    8,000 in 1.00 s   8.00 k/s\n")
    }
}
