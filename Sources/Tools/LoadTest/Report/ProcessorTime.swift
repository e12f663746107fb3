import Glibc

/// The CPU time of this process.
enum ProcessorTime {
    /// RUSAGE_SELF in the parameter type of `getrusage`.
    private static let thisProcess: __rusage_who_t = 0

    /// Returns the user and system time of all threads, in seconds.
    static func now() -> Double {
        var usage = rusage()
        guard getrusage(ProcessorTime.thisProcess, &usage) == 0 else { return 0 }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }
}
