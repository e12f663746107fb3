import Glibc
import MetricsCore

extension MetricPage {
    /// Adds the process metrics under the names that all Prometheus clients use.
    mutating func addProcess() {
        let process = ProcessFigures()
        counter("process_cpu_seconds_total", "User and system CPU time of the process.") {
            $0.add(nanoseconds: process.cpuNanoseconds)
        }
        gauge("process_resident_memory_bytes", "Resident memory of the process.") {
            $0.add(process.residentBytes)
        }
        gauge("process_virtual_memory_bytes", "Virtual memory of the process.") {
            $0.add(process.virtualBytes)
        }
        gauge("process_open_fds", "Open file descriptors.") { $0.add(process.openDescriptors) }
        gauge("process_max_fds", "Maximum number of open file descriptors.") { $0.add(process.maximumDescriptors) }
        gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.") {
            $0.set(process.startTime)
        }
    }
}

/// The values from `/proc` (proc(5)), `getrusage` and `getrlimit`; zero if unreadable.
private struct ProcessFigures {
    var cpuNanoseconds: UInt64 = 0
    var residentBytes: UInt64 = 0
    var virtualBytes: UInt64 = 0
    var openDescriptors = 0
    var maximumDescriptors: UInt64 = 0
    var startTime = 0.0

    init() {
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            for time in [usage.ru_utime, usage.ru_stime] {
                cpuNanoseconds += UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(max(0, time.tv_usec)) * 1000
            }
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            maximumDescriptors = UInt64(limit.rlim_cur)
        }
        // The fields after the name, from the third on. The name is in parentheses and may contain any character.
        let fields = ProcessFigures.text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        if fields.count > 21 {
            virtualBytes = UInt64(fields[20]) ?? 0
            residentBytes = (UInt64(fields[21]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
            let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
            if let started = Double(fields[19]), let boot = ProcessFigures.bootTime() {
                startTime = boot + (started / ticks * 100).rounded() / 100
            }
        }
        openDescriptors = ProcessFigures.entries("/proc/self/fd")
    }

    private static func bootTime() -> Double? {
        text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        // /proc/stat grows with the machine.
        while bytes.count < 1 << 20, case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The number of entries, without `.`, `..` and the descriptor that reads the directory.
    private static func entries(_ path: String) -> Int {
        guard let directory = opendir(path) else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return max(0, count - 3)
    }
}
