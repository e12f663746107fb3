import RedisClient
import Synchronization

/// Which layout is written, as all gateways have agreed on: the number is in the store, and only ever rises.
public final class StoredLayout: StoreFeature {
    let context: StoreContext

    init(_ context: StoreContext) {
        self.context = context
    }

    /// What is written from here, as far as is known. From any thread.
    public var current: StoreLayout { context.layout.current }

    /// Reads which layout is to be written. In a store that nobody has used it is the newest one; one that was used by
    /// a version without layouts has the first.
    /// - Throws: `StoreError.newerLayout` when the store is written as this version does not know.
    public func settle() async throws(StoreError) {
        if let number = try await value(RedisCommand("GET", Keys.layout)).int {
            try use(number)
        } else if try await value(RedisCommand("EXISTS", Keys.tenants)).int == 0 {
            // Whoever is first says it for all.
            _ = try await value(RedisCommand("SET", Keys.layout, StoreLayout.newest.rawValue, "NX"))
            try use(try await value(RedisCommand("GET", Keys.layout)).int ?? 0)
        } else {
            context.layout.current = .keyed
        }
    }

    /// The number that is in the store; nil where there is none yet, and in a store of a version without layouts.
    /// Writes nothing.
    /// - Throws: see `settle`.
    public func read() async throws(StoreError) -> StoreLayout? {
        guard let number = try await value(RedisCommand("GET", Keys.layout)).int else { return nil }
        try use(number)
        return current
    }

    /// Has all gateways write the newest layout, from the next time on that they `settle`. Each must know it.
    /// - Returns: the layout before.
    /// - Throws: see `settle`.
    public func upgrade() async throws(StoreError) -> StoreLayout {
        try await settle()
        let before = current
        if before < .newest {
            let write = RedisCommand("SET", Keys.layout, StoreLayout.newest.rawValue)
            _ = try await value(write.replicated(within: StoreContext.replication))
            context.layout.current = .newest
        }
        return before
    }

    private func use(_ number: Int64) throws(StoreError) {
        let layout = StoreLayout(rawValue: Int(clamping: number))
        context.layout.isUnknown = layout == nil
        guard let layout else { throw .newerLayout(number) }
        context.layout.current = layout
    }
}

/// What a store writes. From any thread.
final class WrittenLayout: Sendable {
    private let number: Atomic<Int>
    private let unknown = Atomic(false)

    init(_ layout: StoreLayout) {
        number = Atomic(layout.rawValue)
    }

    var current: StoreLayout {
        get { StoreLayout(rawValue: number.load(ordering: .relaxed)) ?? .keyed }
        set { number.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether the store was found written as this version does not know.
    var isUnknown: Bool {
        get { unknown.load(ordering: .relaxed) }
        set { unknown.store(newValue, ordering: .relaxed) }
    }

    var isPacked: Bool { current >= .packed }

    /// The count of ended broadcasts that the hash of a new activity begins with; nothing before they are kept there.
    var countOfEnded: [String] { current >= .folded ? ["ended", "0"] : [] }

    /// Whether the index of a busy hour has parts.
    var listsInParts: Bool { current >= .folded }

    /// Whether every gateway can unpack a long answer to an idempotency key.
    var packsAnswers: Bool { current >= .folded }

    /// Whether every gateway leaves a mark for imports when it erases somebody.
    var marksErasures: Bool { current >= .folded }
}

extension Keys {
    /// The number of the layout that is written; absent in stores of versions that knew of none.
    static let layout = "fanfare:layout"
}
