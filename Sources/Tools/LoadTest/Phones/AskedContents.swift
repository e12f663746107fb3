import LiveActivity
import PhoneModel

/// The contents that a marketing system requested, by activity or topic, and the devices that reported a Live Activity.
///
/// Calls overlap, so the gateway may process them in another order. Only a call that was sent after the answer to
/// another is certainly newer. A counter of moments replaces a clock.
struct AskedContents: Sendable {
    private struct Broadcast: Sendable {
        let isEnd: Bool
        let number: Int
        let sent: Int
        /// The moment of a successful answer.
        var answered: Int?
        /// Nil for all devices.
        let devices: Set<Int>?
    }

    private struct Subject: Sendable {
        var broadcasts: [Broadcast] = []
        /// The moments of the devices' first successful reports.
        var reports: [Int: Int] = [:]
    }

    private var subjects: [Int: Subject] = [:]
    private var moment = 0

    /// Records a call, unless it is repeated. Its number is in the content.
    mutating func sent(_ number: Int, of subject: Int, isEnd: Bool, devices: [Int]?) {
        moment += 1
        guard subjects[subject]?.broadcasts.contains(where: { $0.number == number }) != true else { return }
        subjects[subject, default: Subject()].broadcasts.append(
            Broadcast(isEnd: isEnd, number: number, sent: moment, devices: devices.map { Set($0) }))
    }

    /// Records the first successful answer to a call.
    mutating func succeeded(_ number: Int, of subject: Int) {
        moment += 1
        guard let index = subjects[subject]?.broadcasts.lastIndex(where: { $0.number == number && $0.answered == nil })
        else { return }
        subjects[subject]?.broadcasts[index].answered = moment
    }

    mutating func reported(_ device: Int, of subject: Int) {
        moment += 1
        if subjects[subject]?.reports[device] == nil { subjects[subject, default: Subject()].reports[device] = moment }
    }

    /// Removes a device that ends its Live Activity itself.
    mutating func left(_ device: Int, of subject: Int) { subjects[subject]?.reports[device] = nil }

    /// The devices that have reported, by subject.
    var reports: [(subject: Int, devices: [Int])] {
        subjects.sorted { $0.key < $1.key }.map { ($0.key, $0.value.reports.keys.sorted()) }
    }

    /// Returns the difference between the shown and the requested content, with both. Nil if they are equal.
    func difference(_ device: Int, of subject: Int, on phone: Phone, attributes: String) -> String? {
        guard let asked = subjects[subject], let report = asked.reports[device] else { return nil }
        let sure = asked.broadcasts.filter {
            $0.answered != nil && $0.sent > report && $0.devices?.contains(device) ?? true
        }
        let newest = sure.last ?? asked.broadcasts.last { $0.answered != nil }
        let wanted = "the customer asked for number \(newest?.number ?? 0) of \(attributes)"
        guard let shown = phone.liveActivities.last(where: { $0.attributes.elementsEqual(attributes.utf8) }) else {
            let others = phone.liveActivities.map { String(decoding: $0.attributes, as: UTF8.self) }
            return "shows Live Activities of [\(others.joined(separator: ", "))], \(wanted)"
        }
        let content = "shows \(Self.text(shown.state)) of \(attributes)"
        guard let own = asked.broadcasts.last(where: { $0.number == Self.number(shown.state) }) else {
            return "\(content), \(wanted)"
        }
        if let answered = own.answered, sure.contains(where: { $0.sent > answered }) { return "\(content), \(wanted)" }
        return !shown.isOver && sure.contains(where: \.isEnd) ? "\(content) without an end, \(wanted)" : nil
    }

    /// The beginning of a content.
    private static func text(_ state: [UInt8]) -> String {
        let text = String(decoding: state, as: UTF8.self)
        return text.count > 60 ? text.prefix(60) + "…" : text
    }

    private static func number(_ state: [UInt8]) -> Int? {
        (try? JSONDocument(parsing: state).root.member("number"))?.int64.map { Int($0) }
    }
}
