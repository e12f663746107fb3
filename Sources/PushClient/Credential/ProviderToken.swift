import PushProtocol

/// One signed provider token, as the value of the `authorization` field. Its bytes stay where they are as long as it
/// lives, so that requests can refer to them.
final class ProviderToken {
    /// Which of the tokens this is; see `ProviderTokenPolicy`.
    let epoch: UInt32
    /// The token itself.
    let text: String
    let authorization: UnsafeBufferPointer<UInt8>

    init(epoch: UInt32, text: String) {
        self.epoch = epoch
        self.text = text
        let value = "bearer \(text)"
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: value.utf8.count)
        _ = memory.initialize(from: value.utf8)
        authorization = UnsafeBufferPointer(memory)
    }

    deinit {
        authorization.deallocate()
    }
}
