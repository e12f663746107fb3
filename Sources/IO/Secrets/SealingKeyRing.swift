/// A key that seals, and those that did so before it: while a key is replaced, what the former ones sealed opens still,
/// and they never seal.
public struct SealingKeyRing: Sendable {
    /// The key that seals.
    public let present: SealingKey
    private let former: [SealingKey]

    public init(present: SealingKey, former: [SealingKey] = []) {
        self.present = present
        self.former = former
    }

    /// Keys made from secrets that have other duties, see `SealingKey`.
    public init(derivedFrom secret: [UInt8], former: [[UInt8]] = [], label: String) {
        self.init(
            present: SealingKey(derivedFrom: secret, label: label),
            former: former.map { SealingKey(derivedFrom: $0, label: label) })
    }

    /// Sealed by the present key. Nil when OpenSSL fails or the secret is too long.
    public func seal(_ secret: [UInt8], context: [UInt8]) -> [UInt8]? { present.seal(secret, context: context) }

    /// The secret; nil when none of the keys sealed it for this context, or it is not as it was sealed.
    public func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        present.open(sealed, context: context)
            ?? former.lazy.compactMap { $0.open(sealed, context: context) }.first
    }

    /// Whether the present key sealed it, for this context.
    public func isSealedByPresent(_ sealed: [UInt8], context: [UInt8]) -> Bool {
        present.open(sealed, context: context) != nil
    }
}
