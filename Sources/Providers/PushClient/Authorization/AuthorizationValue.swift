/// A value of the `authorization` field. Its bytes keep their address during its lifetime, so that requests can refer
/// to them.
public final class AuthorizationValue {
    /// The sequence number of the value in its source, from 1.
    public let epoch: UInt32
    /// The field's value, for example `bearer TOKEN`. Valid as long as this object lives.
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
