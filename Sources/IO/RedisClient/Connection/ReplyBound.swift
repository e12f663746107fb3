import CHiredis

/// The bound on the size of one reply. A broken or impersonated server cannot make a gateway allocate memory without
/// end, or block it with an array of two thousand million elements.
///
/// Belongs to one reader of the library, which must not outlive it unless `release` was called.
final class ReplyBound {
    /// The largest replies that the gateway asks for are a few megabytes.
    static let standard = (elements: 1_048_576, bytes: 67_108_864)
    /// The bound on a reply that is no string and no array, and on the head of a string or array, in bytes.
    static let longestLine = 1_048_576

    private let bound = UnsafeMutablePointer<fanfare_reply_bound>.allocate(capacity: 1)

    init(
        _ reader: UnsafeMutablePointer<redisReader>,
        maximum: (elements: Int, bytes: Int) = ReplyBound.standard
    ) {
        bound.initialize(to: fanfare_reply_bound())
        bound.pointee.maximum_elements = maximum.elements
        bound.pointee.maximum_bytes = maximum.bytes
        fanfare_bind(reader, bound)
    }

    deinit {
        bound.deallocate()
    }

    /// Gives the reader back to the library, which may free it later.
    func release(_ reader: UnsafeMutablePointer<redisReader>) {
        fanfare_unbind(reader, bound)
    }

    /// The reason to end the connection if the reply that is being read exceeds the bound, otherwise nil.
    func excess(_ reader: UnsafeMutablePointer<redisReader>) -> String? {
        fanfare_is_exceeded(reader, bound, ReplyBound.longestLine) == 0
            ? nil
            : "the server began a reply of more than \(bound.pointee.maximum_elements) elements or "
                + "\(bound.pointee.maximum_bytes) bytes, which exceeds the limit of the gateway"
    }
}
