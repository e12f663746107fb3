public import Foundation

/// Stores the state of a `FanfareDevice` between launches: one small document, read at launch and replaced as a whole.
/// Calls never overlap.
public protocol SnapshotStorage: Sendable {
    /// Returns the last stored document; nil if there is none. Throws if it cannot be read now, for example before the
    /// first unlock.
    func load() throws -> Data?
    /// Replaces the document atomically, even if the app crashes.
    func save(_ snapshot: Data) throws
    /// Sets an unreadable document aside for inspection. Replaces an earlier one that was set aside.
    func setAside()
}

/// A file that is replaced atomically. An unreadable one is renamed with the extension `.corrupt`.
public struct FileSnapshotStorage: SnapshotStorage {
    private let file: URL

    /// - Parameter file: The file, whose folder is created if missing. Use Application Support, not Caches, and exclude
    ///   the file from backups. Otherwise a restored udid belongs to two phones.
    public init(file: URL) { self.file = file }

    /// Returns the bytes of the file; nil if it does not exist.
    public func load() throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
    }

    /// Replaces the file atomically. Creates its folder if missing.
    public func save(_ snapshot: Data) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #if os(iOS)
            // Writable while the phone is locked, for launches in the background.
            try snapshot.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
        #else
            try snapshot.write(to: file, options: .atomic)
        #endif
    }

    /// Renames the file with the extension `.corrupt`.
    public func setAside() {
        let aside = file.appendingPathExtension("corrupt")
        try? FileManager.default.removeItem(at: aside)
        try? FileManager.default.moveItem(at: file, to: aside)
    }
}

/// The stored document, with the version of its format.
struct Snapshot: Codable {
    static let version = 1

    var version = Snapshot.version
    var machine: DeviceMachine

    /// Returns nil if the bytes are not a document of this version.
    static func machine(in data: Data) -> DeviceMachine? {
        guard let snapshot = try? JSONDecoder().decode(Snapshot.self, from: data), snapshot.version == version else {
            return nil
        }
        return snapshot.machine
    }

    static func data(of machine: DeviceMachine) throws -> Data {
        try JSONEncoder().encode(Snapshot(machine: machine))
    }
}
