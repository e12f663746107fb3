/// The value of `apns-priority`. The default is `immediate`.
enum PushPriority: UInt8 {
    case immediate = 10
    case considerate = 5
    /// Does not wake the device.
    case unobtrusive = 1

    /// True if a push of this type may have the priority.
    func isAllowed(for type: MockPushType) -> Bool {
        switch type {
        case .liveActivity: self != .unobtrusive
        case .alert: true
        case .background: self == .considerate
        }
    }
}
