import CHiredis

/// What one reply of a server may take, whatever it claims: so that neither a broken server nor whoever listens in its
/// place makes a gateway take memory without end, or hold still over an array of two thousand million elements.
///
/// Belongs to one reader of the library, which must not outlive it unless `release` was called.
final class ReplyBound {
    /// The largest replies that the gateway asks for are a few megabytes.
    static let standard = (elements: 1_048_576, bytes: 67_108_864)
    /// A reply that is no string and no array, and the head of either.
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

    /// Why the connection ends when the reply that is being read is beyond the bound.
    func excess(_ reader: UnsafeMutablePointer<redisReader>) -> String? {
        fanfare_is_exceeded(reader, bound, ReplyBound.longestLine) == 0
            ? nil
            : "the server began a reply of more than \(bound.pointee.maximum_elements) elements or "
                + "\(bound.pointee.maximum_bytes) bytes, as no Redis of a gateway does"
    }
}
