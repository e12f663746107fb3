import CLinux

/// The allocator's free memory.
enum HeapMemory {
    /// The interval between two trims.
    static let pause = Duration.seconds(5)

    /// Returns free pages to the system until the task is cancelled.
    ///
    /// A register of ten thousand users takes and frees some megabytes in many small pieces. Because glibc keeps them,
    /// its heap grows with each request of that size, although nearly all of it is free.
    static func keepTrimming() async {
        while (try? await Task.sleep(for: pause)) != nil {
            // The padding keeps memory that is soon needed again.
            _ = fanfare_malloc_trim(1 << 20)
        }
    }
}
