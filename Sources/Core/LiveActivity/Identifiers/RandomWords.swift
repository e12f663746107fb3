import Glibc

/// Random words from the kernel, which is asked for many at a time: a system call for each costs more than all else
/// about an identifier. A word that was given out is wiped, so none can be found or given out again.
///
/// Guarded by the mutex, which is held for as long as it takes to read two words or to ask the kernel.
final class RandomWords: @unchecked Sendable {
    /// For the whole process.
    static let shared = RandomWords()

    /// As many as the kernel gives in one call.
    static let count = 32

    private let words = UnsafeMutablePointer<UInt64>.allocate(capacity: RandomWords.count)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let fill: (UnsafeMutableRawBufferPointer) -> Bool
    /// How many are left; they are taken from the end.
    private var left = 0

    /// - Parameter fill: fills the memory with random bytes; false when it cannot.
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

    /// Two that nobody else gets.
    func pair() -> (UInt64, UInt64) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if left == 0 {
            // Without randomness identifiers could be guessed, or given twice.
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

    /// Whether all that was given out is wiped, for tests.
    var isWiped: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return (left..<RandomWords.count).allSatisfy { words[$0] == 0 }
    }
}
