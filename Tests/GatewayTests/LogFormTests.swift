import Foundation
import Gateway
import GatewayAPI
import LiveActivity
import Logging
import Reactor
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

    @Test("Fields that are no dictionary stand first, in their own order, and go over those of the logger")
    func lineFields() throws {
        let id = UniqueID.random()
        for text in Self.texts + ["a\nb", "\u{1}"] {
            var fields = LineFields()
            fields.add("zone", text)
            fields.add("id", .id(id))
            fields.add("number", .number(-42))
            fields.add("none", nil)
            let lines = Lines()
            for form in [LogForm.text, .json] {
                for base in [[:], ["zone": "base", "b": "1", "a": "2", "id": "3"]] as [Logger.Metadata] {
                    var logger = Logger(label: "fanfare") {
                        LineLogHandler(label: $0, form: form) { line, _ in
                            lines.write(String(decoding: line, as: UTF8.self))
                        }
                    }
                    for (name, value) in base { logger[metadataKey: name] = value }
                    logger.info("a message", metadata: fields.metadata)
                }
            }
            let rest = "id=\(id) number=-42"
            if !text.utf8.contains(where: { $0 < 0x20 }) {
                #expect(lines.all[0].contains(" fanfare: zone=\(text) \(rest) ["))
                #expect(lines.all[1].contains(" \(rest) a=2 b=1 ["))
            }
            let quoted = String(decoding: try JSONEncoder().encode(id.description), as: UTF8.self)
            #expect(lines.all[3].contains(#","id":\#(quoted),"number":"-42","a":"2","b":"1"}"#))
            for (line, count) in [(lines.all[2], 3), (lines.all[3], 5)] {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let metadata = object?["metadata"] as? [String: String]
                #expect(metadata?["zone"] == text && metadata?["id"] == "\(id)" && metadata?.count == count)
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
