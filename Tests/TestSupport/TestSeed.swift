import Glibc

/// The seed of all tests that draw at random. It is fixed, so that a run fails or passes like the one before;
/// `make test WALKS=1` draws another and prints it, and `FANFARE_SEED` repeats that.
public enum TestSeed {
    public static let current: UInt64 = getenv("FANFARE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_270_611

    /// Draws of its own for each place that names itself differently.
    public static func generator(_ place: UInt64 = 0) -> SeededGenerator {
        SeededGenerator(seed: current &+ place &* 0x9E37_79B9)
    }
}
