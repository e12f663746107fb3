/// A key that seals, and former keys that only open. During a key's replacement, secrets under former keys stay
/// readable.
public struct SealingKeyRing: Sendable {
    /// The key that seals.
    public let present: SealingKey
    private let former: [SealingKey]

    public init(present: SealingKey, former: [SealingKey] = []) {
        self.present = present
        self.former = former
    }

    /// Derives the keys from secrets with other purposes, see `SealingKey`.
    public init(derivedFrom secret: [UInt8], former: [[UInt8]] = [], label: String) {
        self.init(
            present: SealingKey(derivedFrom: secret, label: label),
            former: former.map { SealingKey(derivedFrom: $0, label: label) })
    }

    /// Seals with the present key. Returns nil if OpenSSL fails or the secret is too long.
    public func seal(_ secret: [UInt8], context: [UInt8]) -> [UInt8]? { present.seal(secret, context: context) }

    /// Returns the secret; nil for other keys or another context, or for altered bytes.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        present.open(sealed, context: context)
            ?? former.lazy.compactMap { $0.open(sealed, context: context) }.first
    }

    /// True if the present key sealed it for this context.
    public func isSealedByPresent(_ sealed: [UInt8], context: [UInt8]) -> Bool {
        present.open(sealed, context: context) != nil
    }
}
