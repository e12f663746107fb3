import Glibc

/// Measures what the store costs: bytes in Redis, time of a targeted call, time of pages on their way to the provider.
///
///     store-benchmark [--devices N] [--json]
///
/// Starts a private redis-server in a directory of its own under the system's temporary one, and removes it at the end.
/// Progress goes to the standard error, the result to the standard output.
@main
enum StoreBenchmark {
    static func main() async {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            Progress.say("usage: store-benchmark [--devices N] [--json]   (N: 1,000 to 5,000,000, default 200,000)")
            exit(64)
        }
        do {
            let devices = options.devices
            let figures = try await BenchmarkStage.run { stage in
                try await Measurement(stage, devices: devices).run()
            }
            print(options.isJSON ? figures.json : figures.table)
        } catch {
            Progress.say("failed: \(error)")
            exit(1)
        }
    }
}

struct Options {
    var devices = 200_000
    var isJSON = false

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--devices":
                guard let count = rest.popFirst().flatMap({ Int($0) }), (1000...5_000_000).contains(count) else {
                    return nil
                }
                devices = count
            default: return nil
            }
        }
    }
}

enum Progress {
    static func say(_ text: String) {
        let line = Array("store-benchmark: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
