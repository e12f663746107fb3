import NIOCore
import TimeCore

/// Makes one kind of call for every device, in one or several rounds.
struct DevicePlayer: CallPlayer {
    /// A kind of call with its request.
    struct Call {
        let kind: CallKind
        let request: DeviceRequest
    }

    private let iPhones: Call
    private let android: Call
    private let androidShare: Int
    private let order: DeviceOrder
    private let count: Int
    private var index = 0

    /// - Parameter androidShare: The percentage of devices that make the call of Android.
    init(_ iPhones: Call, android: Call, androidShare: Int, _ population: Population) {
        self.iPhones = iPhones
        self.android = android
        self.androidShare = androidShare
        order = DeviceOrder(population)
        count = population.count
    }

    mutating func nextCall(to buffer: inout ByteBuffer) -> PlayedCall? {
        let device = order.device(at: index)
        // Each round, a device has a new token.
        let call = device % 100 < androidShare ? android : iPhones
        call.request.write(device, rotation: index / count, to: &buffer)
        index += 1
        return PlayedCall(kind: call.kind, subject: device)
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome, at now: MonotonicTime) {}
}
