import Foundation
import LiveActivity
import Logging
import Reactor
import TestSupport
import Testing
import TimeCore

@testable import Gateway
@testable import LineLog

@Suite("The forms of the log")
struct LogFormTests {
    private final class Lines: TextOutputStream, Sendable {
        private let kept = Locked<[String]>([])

        func write(_ line: String) { kept.withLock { $0.append(line) } }

        var all: [String] { kept.withLock { $0 } }
    }

    private struct Strange: Error, CustomStringConvertible {
        let description = "strange"
    }

    private static let texts = ["", "plain", "with space", "a=b", "ü€🎉", "\"", "\\", "[x]"]

    private static var metadata: [Logger.Metadata?] {
        [nil, [:], ["request_id": "other", "b": "2", "a": "1", "é": "3", "A": "4"]]
            + texts.flatMap { text -> [Logger.Metadata?] in
                [
                    ["\(text)": "\(text)"], ["value": .stringConvertible(text.utf8.count)],
                    ["list": .array(["\(text)", .dictionary(["k": "\(text)"]), .array([])])],
                    ["inner": .dictionary(["a": .dictionary(["b": "\(text)"])])],
                ]
            }
    }

    /// Everything of a kind through a handler.
    private func play(_ handler: (String) -> any LogHandler) {
        for label in ["fanfare", ""] {
            var logger = Logger(label: label) { handler($0) }
            logger.logLevel = .trace
            for base in [[:], ["request_id": "r-1"], ["zebra": "z", "b": "base"]] as [Logger.Metadata] {
                for (name, value) in base { logger[metadataKey: name] = value }
                for metadata in Self.metadata {
                    for level in [Logger.Level.trace, .info, .critical] {
                        logger.log(level: level, "a message", metadata: metadata)
                    }
                }
                logger.log(level: .error, "an error", error: Strange(), metadata: ["error.type": "own"])
            }
            for text in Self.texts { logger.info("\(text)", source: "Module") }
        }
    }

    /// A line of swift-log's own handler without its time, with the message in front of the fields and without the
    /// module.
    private static func messageFirst(_ line: String) throws -> String {
        let rest = line.drop { $0 != " " }
        let colon = try #require(rest.firstIndex(of: ":"))
        let modules = [" [Module] ", " [GatewayTests] "]
        let module = try #require(modules.lazy.compactMap { rest.ranges(of: $0).last }.first)
        let fields = rest[rest.index(after: colon)..<module.lowerBound]
        return "\(rest[...colon]) \(rest[module.upperBound...].dropLast())\(fields)\n"
    }

    @Test("The text is what swift-log's own handler writes, with the message first and without the module")
    func text() throws {
        let (own, theirs) = (Lines(), Lines())
        play { LineLogHandler(label: $0, form: .text) { line, _ in own.write(String(decoding: line, as: UTF8.self)) } }
        play { StreamLogHandler(label: $0, stream: theirs, metadataProvider: nil) }
        #expect(own.all.count > 600 && own.all.count == theirs.all.count)
        for (line, other) in zip(own.all, theirs.all) {
            #expect(try String(line.drop { $0 != " " }) == Self.messageFirst(other))
        }
    }

    @Test("Numbers are numbers in JSON, and texts of digits are texts")
    func numbers() throws {
        let lines = Lines()
        let logger = Logger(label: "") {
            LineLogHandler(label: $0, form: .json) { line, _ in lines.write(String(decoding: line, as: UTF8.self)) }
        }
        logger.info(
            "x",
            metadata: [
                "count": .stringConvertible(-42), "share": .stringConvertible(0.25),
                "none": .stringConvertible(Double.nan),
                "text": "42", "list": [.stringConvertible(UInt8(7))],
            ])
        let fields = #""metadata":{"count":-42,"list":[7],"none":"nan","share":0.25,"text":"42"}}"#
        #expect(lines.all.first?.hasSuffix("\(fields)\n") == true, "\(lines.all)")
    }

    @Test("Lines for systemd's journal start with their priority, and the journal is known by device and inode")
    func journal() throws {
        let pipe = PipeEnds()
        let writer = LogWriter(descriptor: pipe.output, capacity: 4000, delay: .seconds(600)) { _ in [] }
        var logger = Logger(label: "fanfare") {
            LineLogHandler(label: $0, form: .text, writer: writer, isJournal: true)
        }
        logger.logLevel = .trace
        for level in Logger.Level.allCases { logger.log(level: level, "x") }
        writer.flush()
        let priorities = pipe.readAll { $0.contains("critical") }.split(separator: "\n").map { String($0.prefix(3)) }
        #expect(priorities == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])
        writer.close()
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(pipe.output)")
        let inode = try #require(link.split { $0 == "[" || $0 == "]" }.last)
        let name = try #require(SystemdJournal.streamName(pipe.output))
        #expect(link.hasPrefix("pipe:") && name.hasSuffix(":\(inode)"))
        #expect(SystemdJournal.isStream(pipe.output, name: name) && !SystemdJournal.isStream(-1, name: name))
        #expect(!SystemdJournal.isStream(pipe.output, name: "\(name)0"))
        #expect(!SystemdJournal.isStream(pipe.output, name: nil))
    }

    @Test("A text with control characters is one line as well, in both forms", arguments: [LogForm.text, .json])
    func oneLine(form: LogForm) {
        let lines = Lines()
        func line(_ text: String) -> String {
            var logger = Logger(label: "a\nb") {
                LineLogHandler(label: $0, form: form) { line, _ in lines.write(String(decoding: line, as: UTF8.self)) }
            }
            logger.logLevel = .trace
            logger.info("\(text)", metadata: ["\(text)": "\(text)", "list": ["\(text)"]])
            return lines.all.last ?? ""
        }
        // JSON has 0x7F as it is.
        let controls = Array(0..<0x20) + (form == .text ? [0x7F] : []) as [UInt8]
        for control in controls {
            for place in 0..<20 {
                let before = String(repeating: "~", count: place)
                let text = before + String(decoding: [control], as: UTF8.self) + "é \u{80}"
                let found = line(text).utf8.filter { controls.contains($0) }
                #expect(found == [0x0A], "\(control) at \(place)")
            }
        }
        #expect(lines.all.count == 20 * controls.count && lines.all.allSatisfy { $0.hasSuffix("\n") })
        if case .text = form {
            let plain = "~~~~~~~~ ü€🎉 \u{A0}\u{BF}"
            #expect(line("a\u{9B}31m\u{80}").contains(#": a\u{9b}31m\u{80} "#))
            #expect(line(plain).contains(": \(plain) ") && line("\r\n\u{1B}[2J").contains(#"\r\n\u{1b}[2J"#))
        }
    }

    @Test("A finished broadcast names its three most frequent reasons of failures, and their counts")
    func failureReasons() {
        #expect(BroadcastLog.mostFrequent([:]) == nil && BroadcastLog.mostFrequent(["A": 0]) == nil)
        #expect(BroadcastLog.mostFrequent(["D": 1, "B": 7, "A": 7, "C": 90]) == "C:90,A:7,B:7")
    }

    private static func addFields(_ text: String, _ id: UniqueID, to line: inout LogLine) {
        line.add("zone", text)
        line.add("id", id)
        line.add("number", -42)
        line.add("none", nil)
        line.add("length", milliseconds: .microseconds(1_050))
    }

    @Test("The lines of calls have their fields in their own order, and are otherwise as any line is")
    func lineLogger() throws {
        let id = UniqueID.random()
        // Escapes are looked for eight bytes at a time.
        let escaped = (0..<20).flatMap { place in
            ["\"", "\\", "\u{1}"].map { String(repeating: "~", count: place) + $0 + "~~~~~~~~" }
        }
        for text in Self.texts + ["a\nb", "\u{1}", "seven b", "eight by", "nine byte", "\u{7F}"] + escaped {
            let lines = Lines()
            for form in [LogForm.text, .json] {
                let logger = Logger(label: "fan\"fare") {
                    LineLogHandler(label: $0, form: form) { line, _ in
                        lines.write(String(decoding: line, as: UTF8.self))
                    }
                }
                let calls = LineLogger(logger)
                calls.log(.info, "a message") { Self.addFields(text, id, to: &$0) }
                calls.log(.warning, "none") { _ in }
                calls.log(.debug, "below the level") { _ in Issue.record("its fields are asked for") }
                logger.info("a message", metadata: ["zone": "\(text)"])
                logger.warning("none")
            }
            #expect(lines.all.count == 8 && lines.all.allSatisfy { $0.last == "\n" })
            // But for their times, which a blank or a comma ends.
            func rest(_ line: String) -> Substring { line.drop { $0 != " " && $0 != "," } }
            for place in [0, 4] { #expect(rest(lines.all[place + 1]) == rest(lines.all[place + 3])) }
            #expect(rest(lines.all[0]) == "\(rest(lines.all[2]).dropLast()) id=\(id) number=-42 length=1.05\n")
            let addedJSON = #","id":"\#(id)","number":-42,"length":1.05}}"# + "\n"
            #expect(rest(lines.all[4]) == rest(lines.all[6]).dropLast(3) + addedJSON)
            for (place, fields) in [(4, ["zone": text, "id": "\(id)", "number": "-42", "length": "1.05"]), (5, nil)] {
                let read = try JSONSerialization.jsonObject(with: Data(lines.all[place].utf8)) as? [String: Any]
                let metadata = read?["metadata"] as? [String: Any]
                #expect(metadata?.mapValues { "\($0)" } == fields && read?["label"] as? String == "fan\"fare")
                #expect(read?["message"] as? String == (fields == nil ? "none" : "a message"))
            }
        }
    }

    @Test("A logger with fields of its own, or with another handler, gets those of calls as metadata")
    func otherHandlers() {
        let (id, lines) = (UniqueID.random(), Lines())
        var logger = Logger(label: "fanfare") {
            LineLogHandler(label: $0, form: .text) { line, _ in lines.write(String(decoding: line, as: UTF8.self)) }
        }
        logger[metadataKey: "zone"] = "base"
        logger[metadataKey: "b"] = "1"
        var other = Logger(label: "fanfare") { StreamLogHandler(label: $0, stream: lines, metadataProvider: nil) }
        other[metadataKey: "b"] = "1"
        for logger in [logger, other] {
            let calls = LineLogger(logger)
            calls.log(.info, "a message") { Self.addFields("z", id, to: &$0) }
            calls.log(.debug, "below the level") { _ in Issue.record("its fields are asked for") }
        }
        #expect(lines.all.count == 2)
        let fields = "b=1 id=\(id) length=1.05 number=-42 zone=z"
        #expect(lines.all.first?.hasSuffix(": a message \(fields)\n") == true)
        #expect(lines.all.last?.hasSuffix(": \(fields) [LineLog] a message\n") == true)
    }

    @Test("A line has milliseconds to the hundredth, spelled as a number is")
    func milliseconds() {
        var random = TestSeed.generator()
        let lines = Lines()
        let own = Logger(label: "") {
            LineLogHandler(label: $0, form: .text) { line, _ in lines.write(String(decoding: line, as: UTF8.self)) }
        }
        let other = Logger(label: "") { StreamLogHandler(label: $0, stream: lines, metadataProvider: nil) }
        let times: [UInt64] = [
            0, 1, 4999, 5000, 10_000, 95_000, 994_999, 995_000, 999_999, 1_000_000, 12_340_000, 60_000_000_000,
        ]
        for nanoseconds in times + (0..<2000).map({ _ in UInt64.random(in: 0...100_000_000_000, using: &random) }) {
            let expected = (Double(nanoseconds) / 10_000).rounded() / 100
            for logger in [own, other] {
                LineLogger(logger).log(.info, "x") {
                    $0.add("ms", milliseconds: TimeInterval(nanoseconds: nanoseconds))
                }
                #expect(lines.all.last?.contains(" ms=\(expected)") == true)
            }
        }
    }

    @Test("Times of both forms follow the clock from second to second, to the millisecond")
    func times() throws {
        let lines = Lines()
        var expected: [ClosedRange<Int64>] = []
        for _ in 0..<40 {
            let before = WallTime.now().milliseconds
            for form in [LogForm.text, .json] {
                Logger(label: "") {
                    LineLogHandler(label: $0, form: form) { line, _ in
                        lines.write(String(decoding: line, as: UTF8.self))
                    }
                }.info("x")
            }
            expected.append(before...WallTime.now().milliseconds)
            usleep(30_000)
        }
        for (index, range) in expected.enumerated() {
            let (text, json) = (lines.all[2 * index], lines.all[2 * index + 1])
            let own = try #require(text.split(separator: " ").first)
            let offset = own.suffix(5)
            let local = try #require(WallTime(rfc3339: "\(own.dropLast(2)):\(offset.suffix(2))"))
            #expect(range.contains(local.milliseconds), "\(text)")
            let time = try #require(try JSONDocument(parsing: Array(json.dropLast().utf8)).root.member("time")?.string)
            let parsed = try #require(WallTime(rfc3339: time))
            #expect(range.contains(parsed.milliseconds) && time.count == 24, "\(json)")
        }
    }

    @Test("Warnings are written without a delay, errors before the call returns, and dropped lines are told of")
    func urgency() throws {
        let pipe = PipeEnds()
        let form = LogForm.text
        let writer = LogWriter(descriptor: pipe.output, capacity: 400, delay: .seconds(600)) {
            form.lineOfDropped($0, label: "fanfare", isJournal: true)
        }
        let logger = Logger(label: "fanfare") { LineLogHandler(label: $0, form: form, writer: writer) }
        logger.info("first")
        logger.error("second")
        #expect(pipe.read().split(separator: "\n").count == 2)
        logger.info("third")
        #expect(pipe.read().isEmpty)
        logger.warning("fourth")
        #expect(pipe.readAll { $0.contains("fourth") }.contains("third"))
        for _ in 0..<20 { logger.info("many") }
        writer.flush()
        let dropped = pipe.readAll { $0.contains("dropped") }.split(separator: "\n").last { $0.contains("dropped") }
        #expect(dropped.map { $0.hasPrefix("<4>") && $0.contains("reader too slow lines=") } == true)
        writer.close()
    }
}
