import MockKit

extension MockRequest {
    /// What its answer is known by: the request's identifier, or a random one where it has none.
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
