import NIOCore

/// Plays one kind of call by every device, in one or several rounds.
struct DevicePlayer: CallPlayer {
    private let kind: CallKind
    private let request: DeviceRequest
    private let order: DeviceOrder
    private let count: Int
    private var index = 0

    init(_ kind: CallKind, _ request: DeviceRequest, _ population: Population) {
        self.kind = kind
        self.request = request
        order = DeviceOrder(population)
        count = population.count
    }

    mutating func nextCall(to buffer: inout ByteBuffer) -> PlayedCall? {
        let device = order.device(at: index)
        // Each round the system has given the device another token.
        request.write(device, rotation: index / count, to: &buffer)
        index += 1
        return PlayedCall(kind: kind, subject: device)
    }

    mutating func callEnded(_ call: PlayedCall, _ outcome: CallOutcome) {}
}
