import Foundation
import LineLog
import LiveActivity
import Logging
import Reactor
import TestSupport
import Testing
import TimeCore

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

    @Test("The text is what swift-log's own handler writes, byte for byte")
    func text() {
        let (own, theirs) = (Lines(), Lines())
        // Both within one second, so that the times are the same.
        var (begin, end) = (Int64(0), Int64(1))
        var (first, second): ([String], [String]) = ([], [])
        while begin != end {
            begin = WallTime.now().seconds
            let (before, beforeTheirs) = (own.all.count, theirs.all.count)
            play {
                LineLogHandler(label: $0, form: .text) { line, _ in own.write(String(decoding: line, as: UTF8.self)) }
            }
            play { StreamLogHandler(label: $0, stream: theirs, metadataProvider: nil) }
            end = WallTime.now().seconds
            (first, second) = (Array(own.all.dropFirst(before)), Array(theirs.all.dropFirst(beforeTheirs)))
        }
        #expect(first.count > 600 && first.count == second.count)
        for (line, other) in zip(first, second) { #expect(line == other) }
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
            #expect(line("a\u{9B}31m\u{80}").hasSuffix(#"] a\u{9b}31m\u{80}"# + "\n"))
            #expect(line(plain).hasSuffix("] \(plain)\n") && line("\r\n\u{1B}[2J").contains(#"\r\n\u{1b}[2J"#))
        }
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
                let calls = LineLogger(logger, source: "Module")
                calls.log(.info, "a message") { Self.addFields(text, id, to: &$0) }
                calls.log(.warning, "none") { _ in }
                calls.log(.debug, "below the level") { _ in Issue.record("its fields are asked for") }
                logger.info("a message", metadata: ["zone": "\(text)"], source: "Module")
                logger.warning("none", source: "Module")
            }
            #expect(lines.all.count == 8 && lines.all.allSatisfy { $0.last == "\n" })
            // But for their times, which a blank or a comma ends.
            func rest(_ line: String) -> Substring { line.drop { $0 != " " && $0 != "," } }
            for place in [0, 4] { #expect(rest(lines.all[place + 1]) == rest(lines.all[place + 3])) }
            let added = " id=\(id) number=-42 length=1.05 [Module] a message\n"
            #expect(rest(lines.all[0]) == rest(lines.all[2]).replacing(" [Module] a message\n", with: added))
            let addedJSON = #","id":"\#(id)","number":"-42","length":"1.05"}}"# + "\n"
            #expect(rest(lines.all[4]) == rest(lines.all[6]).dropLast(3) + addedJSON)
            for (place, fields) in [(4, ["zone": text, "id": "\(id)", "number": "-42", "length": "1.05"]), (5, nil)] {
                let read = try JSONSerialization.jsonObject(with: Data(lines.all[place].utf8)) as? [String: Any]
                #expect(read?["metadata"] as? [String: String] == fields && read?["label"] as? String == "fan\"fare")
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
            let calls = LineLogger(logger, source: "Module")
            calls.log(.info, "a message") { Self.addFields("z", id, to: &$0) }
            calls.log(.debug, "below the level") { _ in Issue.record("its fields are asked for") }
        }
        #expect(lines.all.count == 2)
        for line in lines.all {
            #expect(line.hasSuffix(": b=1 id=\(id) length=1.05 number=-42 zone=z [Module] a message\n"))
        }
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
                LineLogger(logger, source: "Module").log(.info, "x") {
                    $0.add("ms", milliseconds: TimeInterval(nanoseconds: nanoseconds))
                }
                #expect(lines.all.last?.contains(": ms=\(expected) [Module]") == true)
            }
        }
    }

    @Test("Times of both forms follow the clock from second to second, in JSON to the millisecond")
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
            #expect((range.lowerBound / 1000...range.upperBound / 1000).contains(local.seconds), "\(text)")
            let time = try #require(try JSONDocument(parsing: Array(json.dropLast().utf8)).root.member("time")?.string)
            let parsed = try #require(WallTime(rfc3339: time))
            #expect(range.contains(parsed.milliseconds) && parsed.rfc3339 == time, "\(json)")
        }
    }

    @Test("Warnings are written without a delay, errors before the call returns, and dropped lines are told of")
    func urgency() throws {
        let pipe = PipeEnds()
        let form = LogForm.text
        let writer = LogWriter(descriptor: pipe.output, capacity: 400, delay: .seconds(600)) {
            form.lineOfDropped($0, label: "fanfare")
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
        #expect(pipe.readAll { $0.contains("dropped") }.contains(" warning fanfare: lines="))
        writer.close()
    }
}
