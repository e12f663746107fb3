/// One value of the `authorization` field. Its bytes stay where they are as long as it lives, so that requests can
/// refer to them.
public final class AuthorizationValue {
    /// Which of its source's values this is: they are counted from 1 on.
    public let epoch: UInt32
    /// The field's value, such as `bearer TOKEN`. Valid as long as this object lives.
    public let bytes: UnsafeBufferPointer<UInt8>

    /// Copies the text.
    public init(epoch: UInt32, _ text: String) {
        self.epoch = epoch
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = memory.initialize(from: text.utf8)
        bytes = UnsafeBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }
}
