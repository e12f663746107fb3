import Foundation
import RedisClient
import RedisServerProcess
import TimeCore

/// A redis-server that has loaded a copy, in a folder of its own.
struct LoadedCopy {
    let server: RedisServerProcess
    private let folder: String

    /// What is as large as the store takes its time.
    private static let deadline = TimeInterval.seconds(1800)

    /// Throws when it cannot be loaded, or somebody breaks it off; nothing is left then.
    static func load(_ file: String, _ executable: String) async throws -> LoadedCopy {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-restore-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(
                at: URL(filePath: file).resolvingSymlinksInPath(), to: URL(filePath: "\(folder)/dump.rdb"))
            var options = RedisServerOptions()
            options.executable = executable
            let server = try await Interruption.cancelling { [options] in
                try await RedisServerProcess.start(in: folder, options: options, deadline: deadline)
            }
            return LoadedCopy(server: server, folder: folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            if let failure = error as? CommandFailure { throw failure }
            throw CommandFailure("\(file) cannot be loaded: \(PlainWords.of(error))")
        }
    }

    /// Where a database of it is.
    func endpoint(database: Int) -> RedisEndpoint {
        var endpoint = server.endpoint
        endpoint.database = database
        return endpoint
    }

    func remove() async {
        await server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
