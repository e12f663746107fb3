/// How urgent a push is; without the header it is `immediate`.
enum PushPriority: UInt8 {
    case immediate = 10
    case considerate = 5
    /// Does not wake the device.
    case unobtrusive = 1

    /// Whether a push of this kind may have it. One in the background is never immediate.
    func isAllowed(for type: MockPushType) -> Bool {
        switch type {
        case .liveActivity: self != .unobtrusive
        case .alert: true
        case .background: self == .considerate
        }
    }
}
