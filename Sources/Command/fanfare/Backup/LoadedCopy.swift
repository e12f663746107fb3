import Foundation
import RedisClient
import RedisServerProcess
import TimeCore

/// A redis-server that has loaded a copy, in a folder of its own.
struct LoadedCopy {
    let server: RedisServerProcess
    private let folder: String

    /// A large copy takes minutes to load.
    private static let deadline = TimeInterval.seconds(1800)

    /// Loads a copy.
    /// - Throws: If the copy cannot be loaded or a signal interrupts the load. Nothing is left then.
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
            if case RedisServerError.ended(let log) = error {
                // The error has the last 1,024 bytes of the log, which may begin in the middle of a line.
                let lines = log.split(separator: "\n").dropFirst(log.utf8.count < 1024 ? 0 : 1)
                throw CommandFailure(
                    """
                    \(file) cannot be loaded: the copy is damaged or incomplete; use another copy. redis-server logged:
                    \(lines.joined(separator: "\n"))
                    """)
            }
            throw CommandFailure("\(file) cannot be loaded: \(PlainWords.of(error))")
        }
    }

    /// The endpoint of a database of the copy.
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
