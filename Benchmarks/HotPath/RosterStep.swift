import BroadcastCore
import Delivery
import RosterCore

/// From a page of update tokens, as Redis returns it, to the input of a broadcast.
enum RosterStep {
    static func decode(_ count: Int) -> Int {
        let slots = RosterGeometry.slotsPerPage
        let cell: [UInt8] = [36] + Array(repeating: 1, count: 36)
        let bytes = [UInt8(cell.count)] + Array(repeatElement(cell, count: slots).joined())
        let statuses = Array(repeating: DeliveryStatus.startAccepted, count: slots)
        let segment = SlotRanges([0..<UInt32(slots)])
        var devices = 0
        while devices < count {
            let page = PageOfDevices(0, segment.indexes(inPage: 0), bytes, statuses, kind: .update)
            devices += BroadcastPage(number: page.page, devices: page.devices, bytes: page.bytes).count
        }
        return devices
    }
}
