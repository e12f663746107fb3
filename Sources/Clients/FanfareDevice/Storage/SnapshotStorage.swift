public import Foundation

/// Keeps what a `FanfareDevice` knows from launch to launch: one small document, read at launch and replaced as a
/// whole. It is called from one place at a time.
public protocol SnapshotStorage: Sendable {
    /// What was kept last; nil when nothing was. Throws when it cannot be read now, such as before the first unlock.
    func load() throws -> Data?
    /// Replaces it. After a crash at any moment either the former document is there or the new one.
    func save(_ snapshot: Data) throws
    /// Puts away a document that means nothing, so that somebody can look at it; a former one of that kind is replaced.
    func setAside()
}

/// A file, which is replaced atomically. One that means nothing is renamed to the same name with `.corrupt` behind it.
public struct FileSnapshotStorage: SnapshotStorage {
    private let file: URL

    /// - Parameter file: where it is kept, in a folder that is made if it is missing. An app takes Application Support,
    ///   not Caches, and leaves it out of backups: a udid that comes back on another phone is two phones with one name.
    public init(file: URL) { self.file = file }

    /// The file's bytes; nil when there is none.
    public func load() throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
    }

    /// Replaces the file.
    public func save(_ snapshot: Data) throws {
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #if os(iOS)
            // Also in the background while the phone is locked.
            try snapshot.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
        #else
            try snapshot.write(to: file, options: .atomic)
        #endif
    }

    /// Renames the file.
    public func setAside() {
        let aside = file.appendingPathExtension("corrupt")
        try? FileManager.default.removeItem(at: aside)
        try? FileManager.default.moveItem(at: file, to: aside)
    }
}

/// What is kept, with the version of its form.
struct Snapshot: Codable {
    static let version = 1

    var version = Snapshot.version
    var machine: DeviceMachine

    /// Nil when the bytes are no document of this version.
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
