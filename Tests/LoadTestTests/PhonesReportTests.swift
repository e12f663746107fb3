import Encodings
import PhoneModel
import Testing

@testable import LoadTest

@Suite("Phones of a load test")
struct PhonesReportTests {
    private static let population = Population(seed: 3, first: 0, count: 4)
    private static let type = "LoadTestAttributes"

    /// The ledgers' lines and the contents asked for, of activities 0 and 1 on device 2.
    private struct Scene {
        var asked = AskedContents()
        var lines = ""

        static func token(_ activity: Int?) -> String {
            population.text(2, activity == nil ? .startToken : .updateToken, rotation: activity ?? 0)
        }

        mutating func push(_ token: String, _ aps: String, status: Int = 200) {
            let payload = Base64.encode(#"{"aps":{\#(aps)}}"#.utf8)
            lines += #"{"path":"/3/device/\#(token)","headers":{},"payload":"\#(payload)","status":\#(status)}"# + "\n"
        }

        mutating func start(_ activity: Int, attributes: String? = nil) {
            asked.sent(10 + activity, of: activity, isEnd: false, devices: nil)
            asked.succeeded(10 + activity, of: activity)
            let attributes = attributes ?? #"{"activity":\#(activity)}"#
            push(
                Self.token(nil),
                #""event":"start","timestamp":1,"attributes-type":"\#(type)","attributes":\#(attributes),"#
                    + #""content-state":{"number":\#(10 + activity)}"#)
            asked.reported(2, of: activity)
        }

        /// An update or end that is answered, and comes to the phone unless `shown` is another number.
        mutating func change(
            _ activity: Int, _ number: Int, _ event: String = "update", shown: Int? = nil, devices: [Int]? = nil
        ) {
            asked.sent(number, of: activity, isEnd: event == "end", devices: devices)
            asked.succeeded(number, of: activity)
            push(
                Self.token(activity),
                #""event":"\#(event)","timestamp":\#(number),"content-state":{"number":\#(shown ?? number)}"#)
        }

        func report() throws -> PhonesReport {
            let plan = PhonePlan(attributes: .activity, population: population, run: 0)
            var phones = LedgerPhones(plan.app(type))
            for activity in 0..<2 {
                phones.own(
                    Self.token(activity), on: Self.token(nil),
                    attributes: plan.attributes.text(activity))
            }
            #expect(try phones.read(Array(lines.utf8)) == lines.split(separator: "\n").count)
            phones.reportAll()
            return PhonesReport(asked, phones, plan)
        }
    }

    @Test("Two activities of one phone are right with contents of their own")
    func right() throws {
        var scene = Scene()
        scene.start(0)
        scene.start(1)
        scene.change(0, 20)
        scene.change(1, 21)
        scene.change(0, 22, "end")
        let report = try scene.report()
        #expect(report.isRight && report.compared == 2, "\(report)")
    }

    @Test("A start without its attributes leaves the phone without a Live Activity")
    func none() throws {
        var scene = Scene()
        scene.start(0, attributes: "{}")
        let report = try scene.report()
        #expect(!report.isRight && report.wrong == 1 && report.dropped == 1)
        #expect(
            report.sentences.first
                == #"device 2 shows Live Activities of [], the customer asked for number 10 of {"activity":0}"#
                + " (it dropped a push: start: attributes lacks activity)")
    }

    @Test("The content of another activity is wrong, and both are named")
    func foreign() throws {
        var scene = Scene()
        scene.start(0)
        scene.start(1)
        scene.change(0, 20, shown: 11)
        let report = try scene.report()
        #expect(report.wrong == 1)
        #expect(
            report.sentences
                == [
                    #"device 2 shows {"number":11} of {"activity":0}, the customer asked for number 20 of {"activity":0}"#
                ])
    }

    @Test("Content older than an update that was sent after its answer is wrong")
    func old() throws {
        var scene = Scene()
        scene.start(0)
        scene.change(0, 20)
        scene.asked.sent(21, of: 0, isEnd: false, devices: nil)
        scene.asked.succeeded(21, of: 0)
        #expect(try scene.report().wrong == 1)
    }

    @Test("Content of an update that overlapped with a newer one may be shown")
    func overlapping() throws {
        var scene = Scene()
        scene.start(0)
        scene.asked.sent(21, of: 0, isEnd: false, devices: nil)
        scene.asked.sent(22, of: 0, isEnd: false, devices: nil)
        scene.asked.succeeded(22, of: 0)
        scene.asked.succeeded(21, of: 0)
        scene.push(Scene.token(0), #""event":"update","timestamp":5,"content-state":{"number":21}"#)
        #expect(try scene.report().isRight)
    }

    @Test("An update to other devices, without an answer, or before the report is not expected")
    func unexpected() throws {
        var scene = Scene()
        scene.asked.sent(9, of: 0, isEnd: false, devices: nil)
        scene.asked.succeeded(9, of: 0)
        scene.start(0)
        scene.asked.sent(20, of: 0, isEnd: false, devices: [3])
        scene.asked.succeeded(20, of: 0)
        scene.asked.sent(21, of: 0, isEnd: false, devices: nil)
        #expect(try scene.report().isRight)
    }

    @Test("A Live Activity that was ended and still shows is wrong")
    func withoutEnd() throws {
        var scene = Scene()
        scene.start(0)
        scene.change(0, 20, "end")
        scene.lines = scene.lines.split(separator: "\n").first.map { $0 + "\n" } ?? ""
        scene.push(Scene.token(0), #""event":"update","timestamp":20,"content-state":{"number":20}"#)
        #expect(try scene.report().sentences.first?.contains("without an end") == true)
    }

    @Test("A phone that the provider refused a push to is passed over, and one that left is not compared")
    func passedOver() throws {
        var scene = Scene()
        scene.start(0)
        scene.start(1)
        scene.asked.left(2, of: 1)
        scene.push(Scene.token(0), #""event":"update","timestamp":5,"content-state":{"number":21}"#, status: 410)
        let report = try scene.report()
        #expect(report.compared == 0 && report.refused == 1 && report.isRight)
    }
}
