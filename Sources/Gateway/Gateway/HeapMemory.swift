import CLinux

/// The allocator's free memory.
enum HeapMemory {
    /// How often it is given back.
    static let pause = Duration.seconds(5)

    /// Gives free pages back to the system, for as long as the task runs.
    ///
    /// A register of ten thousand users takes and frees some megabytes in many small pieces. glibc keeps them, and its
    /// heap becomes larger with every such call, although nearly all of it is free.
    static func keepTrimming() async {
        while (try? await Task.sleep(for: pause)) != nil {
            // What is taken again at once may stay.
            _ = fanfare_malloc_trim(1 << 20)
        }
    }
}
