import Encodings
import LiveActivity
import RedisClient
import RosterCore
import TimeCore

extension ActivityReader {
    /// The stored data of a user's devices, in the order of their udids; empty for an unknown user. The size of the
    /// user's hash is bounded.
    public func devices(ofUser insiderID: String, tenantID: String) async throws(StoreError) -> [KnownDevice] {
        let fields = try await value(RedisCommand("HGETALL", Keys.user(tenantID, insiderID))).fields
        guard let user = UserRecord(fields) else { return [] }
        let now = wallClock()
        let memberships = user.memberships.filter { $0.membership.expiresAt > now }
        let replies = try await values(memberships.map { RedisCommand("HGETALL", Keys.activity($0.activity)) })
        var places: [UInt32: [KnownDevice.Place]] = [:]
        for ((id, membership), reply) in zip(memberships, replies) {
            guard let record = ActivityRecord(id, reply.fields), record.activity.tenantID == tenantID else { continue }
            for (slot, state) in try await states(membership.slots.map(\.slot), in: record) {
                for entry in membership.slots where entry.slot == slot {
                    places[entry.device, default: []].append(
                        KnownDevice.Place(activity: record.activity, state: state))
                }
            }
        }
        return fields.compactMap { name, value -> KnownDevice? in
            guard name.first == UInt8(ascii: "d"), let number = DeviceRecord.number(value) else { return nil }
            let tokens = user.tokens(ofDevice: number)
            let times = tokens.map(\.token.reportedAt) + [DeviceRecord.reportedAt(value)].compactMap { $0 }
            return KnownDevice(
                key: DeviceKey(insiderID: insiderID, udid: PackedName.decode(name.dropFirst())),
                device: DeviceRecord.decode(value), lastReportedAt: times.max(),
                tokens: tokens.map { KnownDevice.Token($0.type, $0.token) },
                places: (places[number] ?? []).sorted { $0.activity.createdAt > $1.activity.createdAt })
        }.sorted { $0.key.udid < $1.key.udid }
    }

    /// The states of some slots of an activity.
    private func states(
        _ slots: [UInt32], in record: ActivityRecord
    ) async throws(StoreError) -> [(slot: UInt32, state: DeviceState?)] {
        var found: [(slot: UInt32, state: DeviceState?)] = []
        for page in SlotList.byPage(slots.sorted()) {
            let cells = RosterCell.decode(
                try await run(devices.roster.readCells(page.page, page.indexes, .update, record.activity.id)))
            for (index, cell) in zip(page.indexes, cells) where DeliveryStatus.isMember(cell.status) {
                found.append(
                    (
                        RosterGeometry.slot(page: page.page, index: index),
                        DeviceState(
                            status: cell.status, token: cell.updateTokenState,
                            isEndedByChannel: record.channelEnd(ofPage: page.page) != nil)
                    ))
            }
        }
        return found
    }
}

extension KnownDevice.Token {
    private static let shownCharacters = 6

    fileprivate init(_ type: String, _ token: UserRecord.Token) {
        let isRegistration = type == UserRecord.registrationType
        kind = isRegistration ? .registration : .pushToStart
        activityType = isRegistration || type.isEmpty ? nil : type
        reportedAt = token.reportedAt
        state =
            token.marks.contains(.quarantined) ? .refused : token.marks.contains(.elsewhere) ? .elsewhere : .usable
        let text =
            isRegistration
            ? String(decoding: token.token, as: UTF8.self) : Hexadecimal.encode(Array(token.token))
        ending = String(text.suffix(KnownDevice.Token.shownCharacters))
    }
}
