import Glibc
import TerminalDisplay
import Testing

@Suite("A terminal")
struct TerminalTests {
    @Test("is drawn on in colour and Unicode when nothing speaks against it")
    func capable() {
        let style = TerminalStyle(columns: 120, environment: ["LANG": "de_DE.UTF-8", "TERM": "xterm-256color"])
        #expect(style == TerminalStyle(isInteractive: true, usesColor: true, usesUnicode: true, width: 120))
    }

    @Test("has no colours with NO_COLOR, and no drawing either when it is dumb or none")
    func limits() {
        let noColor = TerminalStyle(columns: 80, environment: ["NO_COLOR": "1", "LANG": "C.UTF-8"])
        #expect(noColor == TerminalStyle(isInteractive: true, usesColor: false, usesUnicode: true, width: 80))
        #expect(TerminalStyle(columns: 80, environment: ["NO_COLOR": ""]).usesColor)
        let dumb = TerminalStyle(columns: 80, environment: ["TERM": "dumb"])
        #expect(dumb == TerminalStyle(isInteractive: false, usesColor: false, usesUnicode: false, width: 80))
        let pipe = TerminalStyle(columns: nil, environment: ["LANG": "en_US.utf8"])
        #expect(pipe == .plain)
        #expect(TerminalStyle(columns: 3, environment: [:]).width == 20)
    }

    @Test("is UTF-8 when the first of LC_ALL, LC_CTYPE and LANG says so")
    func locale() {
        func unicode(_ environment: [String: String]) -> Bool {
            TerminalStyle(columns: 80, environment: environment).usesUnicode
        }
        #expect(!unicode([:]))
        #expect(!unicode(["LANG": "C"]))
        #expect(!unicode(["LC_ALL": "C", "LANG": "en_US.UTF-8"]))
        #expect(unicode(["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"]))
    }

    @Test("tells its width, and a pipe has none")
    func columns() throws {
        var controller: Int32 = -1
        var terminal: Int32 = -1
        var size = winsize(ws_row: 24, ws_col: 93, ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&controller, &terminal, nil, nil, &size) == 0)
        defer {
            close(controller)
            close(terminal)
        }
        #expect(TerminalOutput(descriptor: terminal).columns == 93)
        #expect(TerminalOutput(descriptor: terminal).style(environment: [:]).isInteractive)
        var pipeEnds: [Int32] = [-1, -1]
        try #require(pipe(&pipeEnds) == 0)
        defer { for end in pipeEnds { close(end) } }
        #expect(TerminalOutput(descriptor: pipeEnds[1]).columns == nil)
    }

    @Test("gets a text whole, and one that is gone is no matter")
    func write() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let output = TerminalOutput(descriptor: ends[0])
        output.write("✓ start\n")
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(ends[1], &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "✓ start\n")
        close(ends[0])
        output.write("nobody reads this\n")
        close(ends[1])
    }

    @Test("gives up on a reader that takes nothing")
    func stuckReader() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        // More than a pipe holds; without the limit this would never return.
        TerminalOutput(descriptor: ends[1]).write(String(repeating: "x", count: 1 << 20))
        var waiting: Int32 = 0
        #expect(ioctl(ends[0], UInt(FIONREAD), &waiting) == 0)
        #expect(waiting > 0 && waiting < 1 << 20)
    }
}
