import Secrets
import Testing

@Suite("SHA-256 of what comes in pieces")
struct RunningDigestTests {
    @Test("It is that of the whole, however it is cut", arguments: [0, 1, 63, 64, 65, 1000])
    func pieces(length: Int) throws {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for size in [1, 5, 64, 1024] {
            let digest = try #require(RunningDigest())
            for start in stride(from: 0, to: length, by: size) {
                bytes[start..<min(length, start + size)].withUnsafeBytes { digest.add($0) }
            }
            #expect(digest.finish() == Digest.sha256(bytes))
        }
    }
}
