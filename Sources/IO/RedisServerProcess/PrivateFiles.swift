import Glibc

/// Keeps the files of a private Redis server readable by their owner only. New files are created with these rights, and
/// wider rights of existing files are removed. The directory's own rights stay, because it may hold other files.
enum PrivateFiles {
    /// The names of a server's files and directories. Everything in these directories belongs to the server.
    static let names = [
        "redis.sock", "redis.log", "redis.lock", "dump.rdb", "nodes.conf", "appendonly.aof", "appendonlydir",
    ]

    /// For files of a process that is started.
    static let mask: mode_t = 0o077

    /// Throws if every user may create files in the directory, or if another user owns a file that a server would read.
    static func protect(_ directory: String) throws(RedisServerError) {
        try check(directory)
        for name in names { try narrow("\(directory)/\(name)") }
    }

    /// Throws for the same reasons as `protect`, and changes nothing.
    /// - Parameter names: The files whose owners are checked.
    static func check(_ directory: String, names: [String] = PrivateFiles.names) throws(RedisServerError) {
        var own = stat()
        guard stat(directory, &own) == 0, own.st_mode & S_IFMT == S_IFDIR else {
            throw .unusableDirectory("\(directory) is not a directory")
        }
        // The sticky bit of a directory like /tmp does not help, because another user may create the file first.
        guard own.st_mode & S_IWOTH == 0 else {
            throw .unusableDirectory("every user can write to \(directory); run: chmod o-w \(directory)")
        }
        for name in names { try checkOwners("\(directory)/\(name)", in: own) }
    }

    private static func checkOwners(_ path: String, in directory: stat) throws(RedisServerError) {
        try checkOwner(path, in: directory)
        guard let status = status(path), status.st_mode & S_IFMT == S_IFDIR else { return }
        for name in contents(path) { try checkOwners("\(path)/\(name)", in: directory) }
    }

    /// True if a file of `owner` may be used. Trusts this user and root. Root also trusts the directory's owner.
    static func isTrusted(_ owner: uid_t, by user: uid_t, inDirectoryOf directoryOwner: uid_t) -> Bool {
        owner == user || owner == 0 || user == 0 && owner == directoryOwner
    }

    private static func checkOwner(_ path: String, in directory: stat) throws(RedisServerError) {
        guard let owner = status(path)?.st_uid else { return }
        guard !isTrusted(owner, by: geteuid(), inDirectoryOf: directory.st_uid) else { return }
        throw .unusableDirectory("\(path) belongs to another user (\(owner)); check its origin before you remove it")
    }

    private static func narrow(_ path: String) throws(RedisServerError) {
        guard let status = status(path) else { return }
        let kind = status.st_mode & S_IFMT
        // A link may lead to a file of another user.
        guard kind == S_IFREG || kind == S_IFDIR || kind == S_IFSOCK else { return }
        if status.st_mode & mask != 0, chmod(path, status.st_mode & 0o7777 & ~mask) != 0 {
            let reason = String(cString: strerror(errno))
            throw .unusableDirectory("other users can access \(path), and its mode cannot be changed: \(reason)")
        }
        if kind == S_IFDIR { for name in contents(path) { try narrow("\(path)/\(name)") } }
    }

    /// The status of the file, or of the link itself; nil if the file does not exist.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private static func contents(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
