import MockKit

extension MockRequest {
    /// Sets the identifier that the answer returns: the request's own, or a random one if it is empty.
    func setIdentifier(_ identifier: [UInt8], _ random: inout SplitMix64) {
        guard identifier.isEmpty else {
            ownValueLength = identifier.count
            return identifier.withUnsafeBufferPointer { bytes in
                if let base = bytes.baseAddress { ownValue.update(from: base, count: bytes.count) }
            }
        }
        RandomIdentifier.write(to: ownValue, &random)
        ownValueLength = RandomIdentifier.length
    }
}
