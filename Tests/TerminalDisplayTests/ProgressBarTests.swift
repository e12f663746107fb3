import TerminalDisplay
import Testing

extension TerminalStyle {
    static func test(
        interactive: Bool = true, color: Bool = false, unicode: Bool = true, width: Int = 80
    ) -> TerminalStyle {
        TerminalStyle(isInteractive: interactive, usesColor: color, usesUnicode: unicode, width: width)
    }
}

@Suite("A progress bar")
struct ProgressBarTests {
    private let bar = ProgressBar(label: "register", style: .test())
    private let plain = ProgressBar(label: "register", style: .test(unicode: false))

    @Test("shows how far it is, how fast and how long it will take")
    func whole() {
        #expect(
            bar.render(done: 10_240, total: 20_000, elapsed: .milliseconds(832), width: 100)
                == "register   ███████████▎             10,240 / 20,000   51%   12,308/s   0:01 left")
        #expect(
            plain.render(done: 10_240, total: 20_000, elapsed: .milliseconds(832), width: 100)
                == "register   [##########          ]   10,240 / 20,000   51%   12,308/s   0:01 left")
    }

    @Test("begins empty and ends full, with the time that it took")
    func ends() {
        #expect(
            bar.render(done: 0, total: 20_000, elapsed: .zero, width: 100)
                == "register                                 0 / 20,000    0%        0/s   -:--")
        #expect(
            bar.render(done: 20_000, total: 20_000, elapsed: .seconds(2), width: 100)
                == "register   ██████████████████████   20,000 / 20,000  100%   10,000/s   0:02")
        #expect(
            bar.render(done: 0, total: 0, elapsed: .seconds(2), width: 100)
                == "register   ██████████████████████   0 / 0     -        0/s   0:02")
    }

    @Test(
        "gives up what matters least when room is short",
        arguments: [
            (80, "register   ███████████▎             10,240 / 20,000   51%   12,308/s   0:01 left"),
            (60, "register   ███████▏         10,240 / 20,000   51%   12,308/s"),
            (50, "register   ███████▋          10,240 / 20,000   51%"),
            (35, "register   █████████▏           51%"),
            (25, "register   ████       51%"),
            (17, "register   ███   "),
            (16, "register   "),
            (8, "registe…"),
            (0, ""),
        ])
    func narrow(width: Int, text: String) {
        let line = bar.render(done: 10_240, total: 20_000, elapsed: .milliseconds(832), width: width)
        #expect(line == text)
    }

    @Test("never is wider than it may be, whatever it is told", arguments: [true, false])
    func bounded(unicode: Bool) {
        let numbers = [Int.min, -1, 0, 1, 7, 10_240, 1 << 40, Int.max]
        for width in stride(from: 1, through: 120, by: 7) {
            for done in numbers {
                for total in numbers + [nil] as [Int?] {
                    for elapsed in [Duration.zero, .nanoseconds(1), .seconds(1), .seconds(1 << 40), .seconds(-9)] {
                        let bar = ProgressBar(label: "números 数字 \u{1B}[2J", style: .test(unicode: unicode))
                        let line = bar.render(done: done, total: total, elapsed: elapsed, width: width)
                        #expect(line.count <= width, "\(width) \(done) \(String(describing: total)) \(elapsed)")
                        #expect(!line.contains("\u{1B}") && (unicode || line.utf8.allSatisfy { $0 < 0x80 }))
                    }
                }
            }
        }
    }

    @Test(
        "lets a block wander when the total is not known",
        arguments: [
            (0, "import     ███                         10,240        0/s   0:00"),
            (800, "import             ███                 10,240   12,800/s   0:01"),
            (2000, "import                       ███       10,240    5,120/s   0:02"),
            (3800, "import     ███                         10,240    2,695/s   0:04"),
        ])
    func unknownTotal(milliseconds: Int, text: String) {
        let bar = ProgressBar(label: "import", style: .test())
        #expect(bar.render(done: 10_240, total: nil, elapsed: .milliseconds(milliseconds), width: 100) == text)
    }

    @Test("is coloured only where colours may be used")
    func colors() {
        let bar = ProgressBar(label: "end", labelWidth: 3, style: .test(color: true))
        #expect(
            bar.render(done: 1, total: 2, elapsed: .seconds(1), width: 18)
                == "end \u{1B}[36m████\u{1B}[0m    \u{1B}[2m   50%\u{1B}[0m")
    }
}
