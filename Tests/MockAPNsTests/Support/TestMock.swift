import Glibc
import MockAPNs
import TestHTTP2Client
import Testing
import TimeCore

/// A mock with a directory of its own, and a signer whom it believes.
final class TestMock: Sendable {
    let mock: MockAPNs
    private let signer: TestSigner

    init(_ change: (inout MockAPNs.Options) -> Void = { _ in }) throws {
        var options = MockAPNs.Options(directory: try TestMock.makeDirectory())
        change(&options)
        mock = try MockAPNs.start(options)
        signer = try TestSigner(pemFile: mock.keyFile)
    }

    deinit {
        mock.stop()
        TestMock.removeDirectory(mock.options.directory)
    }

    func token(header: String? = nil, claims: String? = nil, age: Int = 0) throws -> String {
        try signer.token(
            header: header ?? #"{"alg":"ES256","kid":"\#(mock.keyID)"}"#,
            claims: claims ?? #"{"iss":"\#(mock.teamID)","iat":\#(time(nil) - age)}"#)
    }

    /// A push that passes all checks.
    func push(_ device: String = "ab01", event: String = "update") throws -> TestRequest {
        TestRequest(
            path: "/3/device/\(device)",
            headers: [
                ("authorization", "bearer \(try token())"), ("apns-push-type", "liveactivity"),
                ("apns-topic", "\(mock.bundleID).push-type.liveactivity"), ("apns-priority", "10"),
                ("apns-expiration", "0"),
            ], body: TestRequest.payload(event))
    }

    /// A push to an app that passes all checks.
    func notification(_ type: String, priority: String?, _ payload: String) throws -> TestRequest {
        try push().with("apns-push-type", type).with("apns-topic", mock.bundleID).with("apns-priority", priority)
            .with(body: payload)
    }

    static func makeDirectory() throws -> String {
        var template = Array("/tmp/fanfare-mock-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        return template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    static func removeDirectory(_ path: String) {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink(path + "/" + name)
        }
        closedir(directory)
        rmdir(path)
    }
}
