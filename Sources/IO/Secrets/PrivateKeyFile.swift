import Glibc

/// A file that holds a private key, in whatever form.
public enum PrivateKeyFile {
    /// Of a longer file no more is read.
    static let limit = 65_536

    /// What the file holds, at most 65,536 bytes. The error says why it cannot be read, in words for an operator.
    public static func read(_ path: String) throws(PrivateKey.Unusable) -> [UInt8] {
        // What is no file may have nobody at its other end, and would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw PrivateKey.Unusable(reason: strerror(errno).map { String(cString: $0) } ?? "cannot be opened")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = fdopen(descriptor, "r")
        else {
            close(descriptor)
            throw PrivateKey.Unusable(reason: "it is no regular file")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw PrivateKey.Unusable(reason: "it cannot be read") }
        guard count > 0 else { throw PrivateKey.Unusable(reason: "it is empty") }
        return Array(bytes.prefix(count))
    }
}
