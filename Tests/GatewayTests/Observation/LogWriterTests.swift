import Dispatch
import Foundation
import Gateway
import LiveActivity
import Reactor
import Testing
import TimeCore

@Suite("The writer of the log", .serialized)
struct LogWriterTests {
    private func writer(_ descriptor: Int32, capacity: Int = LogWriter.capacity) -> LogWriter {
        LogWriter(descriptor: descriptor, capacity: capacity) { Array("dropped \($0)\n".utf8) }
    }

    private func line(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }

    private func milliseconds(_ body: () -> Void) -> Double {
        let begin = MonotonicTime.now()
        body()
        return Double((MonotonicTime.now() - begin).nanoseconds) / 1e6
    }

    @Test("Lines of all writers are written in order, whole and without a flush")
    func order() {
        let pipe = PipeEnds()
        let writer = writer(pipe.output)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 { writer.write(line("\(thread) \(number)")) }
        }
        let text = pipe.readAll { $0.count { $0 == "\n" } == 2000 }
        let lines = text.split(separator: "\n")
        for thread in 0..<4 {
            let own = lines.filter { $0.hasPrefix("\(thread) ") }
            #expect(own.map(String.init) == (0..<500).map { "\(thread) \($0)" })
        }
        // One that comes when the thread sleeps again.
        writer.write(line("late"))
        #expect(pipe.readAll { $0.hasSuffix("\n") } == "late\n")
        writer.close()
    }

    @Test("An awaited line and all lines before it are written when the call returns; flush does the same")
    func awaited() {
        let pipe = PipeEnds()
        let writer = LogWriter(descriptor: pipe.output, delay: .seconds(600)) { _ in [] }
        writer.write(line("one"))
        #expect(pipe.read().isEmpty)
        writer.write(line("two"), .awaited)
        #expect(pipe.read() == "one\ntwo\n")
        writer.write(line("three"))
        #expect(writer.flush())
        #expect(pipe.read() == "three\n")
        writer.write(line("four"), .prompt)
        #expect(pipe.readAll { !$0.isEmpty } == "four\n")
        writer.write(line("five"))
        writer.close()
        #expect(pipe.read() == "five\n")
        writer.write(line("six"), .awaited)
        #expect(pipe.read().isEmpty && !writer.flush())
    }

    @Test("With 64 KiB lines are written, however long they might wait")
    func much() {
        let pipe = PipeEnds()
        let writer = LogWriter(descriptor: pipe.output, delay: .seconds(600)) { _ in [] }
        let thousand = line(String(repeating: "x", count: 999))
        for _ in 0..<65 { writer.write(thousand) }
        #expect(pipe.read().isEmpty)
        writer.write(thousand)
        #expect(pipe.readAll { $0.utf8.count == 66 * 1000 }.utf8.count == 66 * 1000)
        writer.close()
    }

    @Test("A full pipe delays no writer; lines without room are dropped, and counted at their place")
    func full() throws {
        let pipe = PipeEnds()
        let writer = writer(pipe.output, capacity: 100_000)
        let text = String(repeating: "x", count: 90)
        let most = milliseconds {
            for number in 0..<5000 { writer.write(line("\(number) \(text)"), number % 10 == 0 ? .awaited : .delayed) }
        }
        // One line was awaited in vain, for 50 ms; all of them would take 25 s.
        #expect(most < 12_500)
        #expect(!writer.flush(within: .milliseconds(10)))
        let read = pipe.readAll { $0.contains("dropped") }
        let lines = read.split(separator: "\n")
        let last = try #require(lines.last)
        #expect(lines.count > 1000 && last == "dropped \(5000 - (lines.count - 1))")
        #expect(lines.dropLast().enumerated().allSatisfy { $1 == "\($0) \(text)" })
        // There is room again.
        writer.write(line("again"))
        #expect(pipe.readAll { $0.hasSuffix("\n") } == "again\n")
        writer.write(Array(repeating: 0x78, count: 100_001))
        writer.write(line("behind"), .prompt)
        #expect(pipe.readAll { $0.hasSuffix("\n") } == "dropped 2\n")
        writer.close()
    }

    @Test(
        "A closed reader or a full disk ends no process and delays no writer", arguments: [true, false])
    func broken(isPipe: Bool) {
        let pipe = PipeEnds()
        pipe.closeInput()
        let descriptor = isPipe ? pipe.output : open("/dev/full", O_WRONLY | O_CLOEXEC)
        let writer = writer(descriptor, capacity: 10_000)
        let time = milliseconds {
            for number in 0..<2000 { writer.write(line("\(number)"), .awaited) }
        }
        // All in vain they would take 100 s.
        #expect(time < 50_000)
        var isFlushed = true
        let flushing = milliseconds { isFlushed = writer.flush(within: .seconds(30)) }
        #expect(!isFlushed && flushing < 5000)
        let closing = milliseconds { writer.close(within: .seconds(30)) }
        #expect(closing < 5000)
        if !isPipe { close(descriptor) }
    }

    @Test("Lines that a full output refused are written when there is room, each once and whole")
    func roomAgain() throws {
        let pipe = PipeEnds()
        // Non-blocking, as a terminal may be: a write takes a part, then nothing.
        _ = fcntl(pipe.output, F_SETFL, O_NONBLOCK)
        let writer = writer(pipe.output)
        for number in 0..<20_000 { writer.write(line("\(number)")) }
        let text = pipe.readAll { $0.hasSuffix("\n19999\n") }
        #expect(text == (0..<20_000).map { "\($0)\n" }.joined())
        writer.close()
    }

    @Test("A pipe that others may share gets whole lines in small pieces; a long line is not cut")
    func pieces() {
        let pipe = PipeEnds(inPieces: true)
        let writer = writer(pipe.output)
        for number in 0..<200 { writer.write(line("\(number) \(String(repeating: "y", count: 100))")) }
        writer.flush()
        var pieces: [String] = []
        while pieces.joined().count(where: { $0 == "\n" }) < 200 { pieces.append(pipe.read()) }
        #expect(pieces.allSatisfy { $0.hasSuffix("\n") && $0.utf8.count <= 4096 } && pieces.count < 10)
        writer.close()
        let plain = PipeEnds()
        let long = self.writer(plain.output)
        long.write(line(String(repeating: "z", count: 9000)))
        long.write(line("end"))
        #expect(plain.readAll { $0.hasSuffix("end\n") }.utf8.count == 9005)
        long.close()
    }
}
