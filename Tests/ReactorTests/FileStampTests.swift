import Glibc
import Testing

@testable import Reactor

@Suite("Which file there is")
struct FileStampTests {
    private func write(_ path: String, _ text: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        try #require(descriptor >= 0)
        _ = Glibc.write(descriptor, text, text.utf8.count)
        return descriptor
    }

    @Test("A file is the same by its name and by its descriptor, until another one has its name")
    func identity() throws {
        let path = "/tmp/fanfare-stamp-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let descriptor = try write(path, "a")
        defer {
            close(descriptor)
            unlink(path)
            unlink(path + ".moved")
        }
        let named = try #require(FileStamp(of: path))
        let opened = try #require(FileStamp(ofDescriptor: descriptor))
        #expect(named == opened && named.isSameFile(as: opened))
        #expect(named.owner == geteuid() && named.permissions & 0o700 == 0o600)
        // A write changes the stamp, but not the file's identity.
        _ = Glibc.write(descriptor, "b", 1)
        let longer = try #require(FileStamp(of: path))
        #expect(longer != named && longer.isSameFile(as: named))
        #expect(rename(path, path + ".moved") == 0)
        #expect(FileStamp(of: path) == nil)
        close(try write(path, "ab"))
        let other = try #require(FileStamp(of: path))
        #expect(!other.isSameFile(as: opened) && other != longer)
    }

    @Test("Where there is no file there is no stamp")
    func none() {
        #expect(FileStamp(of: "/nowhere/at/all") == nil && FileStamp(ofDescriptor: -1) == nil)
    }
}
