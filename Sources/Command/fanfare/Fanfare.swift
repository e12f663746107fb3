import ArgumentParser
import CBuild
import CICUData
import Gateway
import Glibc

/// The command line of Fanfare.
@main
struct Fanfare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanfare",
        abstract: "Broadcasts Live Activities to whole segments of phones.",
        discussion: """
            Start with `fanfare demo`, which runs a whole broadcast on this machine without configuration. Environment \
            variables override the configuration: FANFARE_HTTP_PORT overrides http.port.

            Exits with 0 on success, 1 on failure (standard error has the reason), 64 for a wrong command line.

            EXAMPLES:
              fanfare demo
              fanfare check-config --show
              fanfare serve --config /etc/fanfare/fanfare.yaml
            """,
        version: Fanfare.build.description,
        subcommands: [
            ServeCommand.self, DemoCommand.self, MockAPNsCommand.self, MockFCMCommand.self, MockFeedCommand.self,
            TenantCommand.self, OperatorCommand.self, DevicesCommand.self, BackupCommand.self, RestoreCommand.self,
            CheckConfigCommand.self, DoctorCommand.self, PlanCommand.self, TopCommand.self, LoadtestCommand.self,
        ])

    static let build = BuildNames(version: "0.3.0", commit: String(cString: build_commit()))

    static func main() async {
        // Without arguments not even the program's name is known. The help would hide that the command was lost.
        guard !CommandLine.arguments.isEmpty else {
            StandardError.print("Error: the arguments cannot be read; mount /proc, and let this user read it")
            Glibc.exit(1)
        }
        // A peer that is gone is seen by the write's result.
        signal(SIGPIPE, SIG_IGN)
        // Without it the C library checks that file again for each line of the log.
        setenv("TZ", ":/etc/localtime", 0)
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
