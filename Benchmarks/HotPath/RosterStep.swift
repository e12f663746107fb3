import BroadcastCore
import Delivery
import GatewayStore
import LiveActivity
import TimeCore

/// From a page of update tokens, as Redis hands it over, to what a broadcast takes.
enum RosterStep {
    static func decode(_ count: Int) -> Int {
        let slots = RosterGeometry.slotsPerPage
        let cell: [UInt8] = [36] + Array(repeating: 1, count: 36)
        let bytes = [UInt8(cell.count)] + Array(repeatElement(cell, count: slots).joined())
        let statuses = Array(repeating: DeliveryStatus.startAccepted, count: slots)
        let time = WallTime(seconds: 0)
        let activity = Activity(
            id: UniqueID(high: 1, low: 2), tenantID: "tenant", type: "Match", state: .started, createdAt: time,
            endsAt: time)
        let order = BroadcastOrder(
            wholeSegment: SlotRanges([0..<UInt32(slots)]), kind: .update, activity: activity)
        var devices = 0
        while devices < count {
            let page = PageOfDevices(0, of: order, bytes, statuses)
            devices += BroadcastPage(number: page.page, devices: page.devices, bytes: page.bytes).count
        }
        return devices
    }
}
