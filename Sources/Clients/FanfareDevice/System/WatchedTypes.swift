#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
    import Foundation

    /// The types that are watched, by name. Guarded by its lock.
    @available(iOS 16.2, *)
    final class WatchedTypes: @unchecked Sendable {
        private let lock = NSLock()
        private var types: [String: any AnyWatchedType] = [:]

        /// False when it is there already.
        func add(_ type: any AnyWatchedType) -> Bool {
            lock.withLock {
                guard types[type.name] == nil else { return false }
                types[type.name] = type
                return true
            }
        }

        func named(_ name: String) -> (any AnyWatchedType)? { lock.withLock { types[name] } }

        var all: [any AnyWatchedType] { lock.withLock { Array(types.values) } }
    }
#endif
