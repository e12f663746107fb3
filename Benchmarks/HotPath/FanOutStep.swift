import BroadcastCore
import Delivery
import FlatMemory
import TimeCore

/// The fan-out of a broadcast without a provider: pages of tokens become pushes, and each push is accepted.
enum FanOutStep {
    /// A push as it leaves the broadcast.
    private struct Outgoing: BitwiseCopyable {
        let token: UnsafeRawPointer?
        let tag: UInt64
        let slot: UInt32
        let tokenLength: UInt16
    }

    private static let devicesOfPage = 868
    private static let tokenLength = 32
    /// The most pushes that a broadcast sends in its turn.
    private static let turn = 64

    /// Sends whole pages to at least `count` devices.
    static func send(_ count: Int) -> Int {
        let now = MonotonicTime(nanoseconds: 0)
        let devices = (0..<devicesOfPage).map { (index: $0, token: ($0 * tokenLength)..<(($0 + 1) * tokenLength)) }
        let page = BroadcastPage(
            number: 0, devices: devices, bytes: [UInt8](repeating: 7, count: devicesOfPage * tokenLength))
        let pages = (count + devicesOfPage - 1) / devicesOfPage
        var core = BroadcastCore(event: .update, pages: [Int](repeating: 0, count: pages))
        var outgoing = PlainBuffer<Outgoing>()
        var bytes = 0
        while !core.isFinished {
            while core.pageToRead() != nil { core.pageRead(page) }
            outgoing.removeAll()
            while outgoing.count < turn, let tag = core.nextPush(now: now) {
                let target = core.target(tag)
                outgoing.append(
                    Outgoing(
                        token: target.token.baseAddress, tag: tag.rawValue,
                        slot: UInt32(target.page * devicesOfPage) + UInt32(target.index),
                        tokenLength: UInt16(target.token.count)))
            }
            for push in outgoing.all {
                bytes += Int(push.tokenLength)
                core.pushAccepted(BroadcastCore.Tag(rawValue: push.tag))
            }
            bytes += core.takeResults().count
        }
        return bytes
    }
}
