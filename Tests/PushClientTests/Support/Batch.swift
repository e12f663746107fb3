import APNsCore
import Delivery
import PushClient

extension PushClient {
    /// Gives pushes in one call, from memory that is gone when it has returned; how many were taken.
    func push(
        _ pushes: [(tag: UInt64, token: [UInt8])], _ template: PushTemplate, to receiver: any PushOutcomeReceiver
    ) -> Int {
        var bytes = pushes.flatMap(\.token)
        let taken = bytes.withUnsafeBytes { bytes in
            var start = 0
            let batch = pushes.map { push in
                defer { start += push.token.count }
                let token = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + push.token.count)])
                return PendingPush(token: token, slot: UInt32(truncatingIfNeeded: push.tag), tag: push.tag)
            }
            return batch.withUnsafeBufferPointer { self.push($0, template, to: receiver) }
        }
        for index in bytes.indices { bytes[index] = 0xFF }
        return taken
    }
}
