import ArgumentParser
import Glibc

/// The command line of Fanfare.
@main
struct Fanfare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanfare",
        abstract: "Broadcasts Live Activities to whole segments of phones.",
        discussion: "Start with `fanfare demo`: it shows the whole job on this machine, with nothing configured.",
        version: Fanfare.version,
        subcommands: [
            ServeCommand.self, DemoCommand.self, MockAPNsCommand.self, TenantCommand.self, DevicesCommand.self,
            CheckConfigCommand.self, LoadtestCommand.self,
        ])

    static let version = "0.1.0"

    static func main() async {
        // A peer that is gone is seen by the write's result.
        signal(SIGPIPE, SIG_IGN)
        OpenFiles.raiseLimit()
        await main(nil)
    }
}

/// The number of files and sockets that this process may open.
enum OpenFiles {
    /// RLIMIT_NOFILE, in the type that the calls take.
    private static let resource = __rlimit_resource_t(7)

    /// Raises the limit to the most that the system allows without asking.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
