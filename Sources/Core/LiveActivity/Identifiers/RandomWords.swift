import Glibc

/// Random words from the kernel, read many at a time because a system call dominates the cost of an identifier. Each
/// used word is wiped, so it cannot be found or used again.
///
/// Guarded by the mutex while two words are read or the kernel refills them.
final class RandomWords: @unchecked Sendable {
    /// The instance of the process.
    static let shared = RandomWords()

    /// The maximum of one kernel call.
    static let count = 32

    private let words = UnsafeMutablePointer<UInt64>.allocate(capacity: RandomWords.count)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let fill: (UnsafeMutableRawBufferPointer) -> Bool
    /// The number of unused words, which are taken from the end.
    private var left = 0

    /// - Parameter fill: Fills the memory with random bytes; false on failure.
    init(fill: @escaping (UnsafeMutableRawBufferPointer) -> Bool = { getentropy($0.baseAddress!, $0.count) == 0 }) {
        self.fill = fill
        words.initialize(repeating: 0, count: RandomWords.count)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        words.deallocate()
    }

    /// Returns two unused words.
    func pair() -> (UInt64, UInt64) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if left == 0 {
            // Without randomness, identifiers would be predictable or not unique.
            precondition(
                fill(UnsafeMutableRawBufferPointer(start: words, count: RandomWords.count * 8)),
                "the system's random number generator failed")
            left = RandomWords.count
        }
        left -= 2
        let pair = (words[left], words[left + 1])
        words[left] = 0
        words[left + 1] = 0
        return pair
    }

    /// True if all used words are wiped, for tests.
    var isWiped: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return (left..<RandomWords.count).allSatisfy { words[$0] == 0 }
    }
}
