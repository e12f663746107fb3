import Encodings
import LiveActivity
import NIOCore
import Secrets
import Testing

@testable import LoadTest

@Suite("Devices")
struct PopulationTests {
    @Test("A seed gives the same devices each time, whatever part of them is played")
    func sameDevices() {
        let whole = Population(seed: 5, first: 0, count: 1000)
        let part = Population(seed: 5, first: 700, count: 10)
        #expect(whole.insiderID(703) == part.insiderID(703))
        #expect(whole.udid(703) == part.udid(703))
        #expect(whole.token(703, .updateToken, rotation: 2) == part.token(703, .updateToken, rotation: 2))
        // Fixed for ever: devices registered by an earlier version must be met again.
        #expect(whole.insiderID(703) == "load-5-00000703")
        let other = Population(seed: 6, first: 0, count: 1000)
        #expect(whole.udid(703) != other.udid(703))
        #expect(whole.insiderID(703) != other.insiderID(703))
    }

    @Test("No two devices, purposes or rotations share a token or an identifier")
    func distinct() {
        let population = Population(seed: 9, first: 0, count: 20_000)
        var words: Set<UInt64> = []
        var udids: Set<String> = []
        for device in 0..<20_000 {
            udids.insert(population.udid(device))
            for purpose in [Population.Purpose.startToken, .updateToken] {
                for rotation in 0..<2 { words.insert(population.token(device, purpose, rotation: rotation).0) }
            }
        }
        #expect(udids.count == 20_000)
        #expect(words.count == 80_000)
    }

    @Test("The order of devices looks random and leaves none out", arguments: [1, 2, 3, 4, 10, 97, 1000, 30_030])
    func order(count: Int) {
        let population = Population(seed: 3, first: 50, count: count)
        let order = DeviceOrder(population)
        let devices = (0..<count).map { order.device(at: $0) }
        #expect(Set(devices) == Set(50..<50 + count))
        #expect((0..<count).map { order.device(at: count + $0) } == devices)
        if count > 10 { #expect(devices != devices.sorted()) }
    }

    @Test("The bytes of a request are a whole request of that device, at both ends of the numbers")
    func request() throws {
        let url = try GatewayURL("http://127.0.0.1:8080/base/")
        let population = Population(seed: 12, first: 0, count: 100_000_000)
        let head = RequestHead(.sync, url: url, field: "X-Sdk-Key", key: try CallKey("secret", name: "a key"))
        let request = DeviceRequest(head, population, fields: #""activity_id":"abc","#, token: .updateToken)
        var buffer = ByteBuffer()
        for device in [0, 17, 99_999_999] {
            buffer.clear()
            request.write(device, rotation: 3, to: &buffer)
            let text = String(buffer: buffer)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
            try #require(parts.count == 2)
            #expect(parts[0].hasPrefix("POST /base/api/v1/sdk/sync HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n"))
            #expect(parts[0].contains("\r\nX-Sdk-Key: secret\r\n"))
            #expect(parts[0].hasSuffix("Content-Length: \(parts[1].utf8.count)"))
            let root = try JSONDocument(parsing: Array(parts[1].utf8)).root
            #expect(try root.member("insider_id")?.string == population.insiderID(device))
            #expect(try root.member("udid")?.string == population.udid(device))
            #expect(try root.member("activity_id")?.string == "abc")
            let words = population.token(device, .updateToken, rotation: 3)
            let token = [words.0, words.1, words.2, words.3].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
            }
            #expect(try root.member("token")?.string == Hexadecimal.encode(token))
        }
    }

    @Test("Each device's request bears its own signature, of either version", arguments: [1, 2])
    func signatures(version: Int) throws {
        let url = try GatewayURL("http://127.0.0.1:1")
        let population = Population(seed: 12, first: 0, count: 10)
        var target = LoadTarget()
        target.signatureVersion = version
        target.signatureExpiry = 1_795_500_000
        let device = try DeviceCredential(sdkKey: "k", "secret", target)
        let request = DeviceRequest(
            RequestHead(.sync, url: url, device: device), population, fields: "", token: .updateToken)
        let sync = SyncRequest(head: RequestHead(.sync, url: url, device: device), population: population)
        var buffer = ByteBuffer()
        for number in [0, 7] {
            buffer.clear()
            request.write(number, rotation: 0, to: &buffer)
            let (user, udid) = (population.insiderID(number), population.udid(number))
            let message = "v2.1795500000.\(user.utf8.count):\(user).\(udid.utf8.count):\(udid)"
            let signed = version == 1 ? Array(user.utf8) : [0xFF] + Array(message.utf8)
            let digits = Hexadecimal.encode(Digest.hmacSHA256(key: Array("secret".utf8), signed))
            let field = "\r\nX-Identity-Signature: \(version == 1 ? "" : "v2.1795500000.")\(digits)\r\nContent-Length: "
            #expect(String(buffer: buffer).contains(field))
            let text = String(decoding: sync.request(number, .id("abc"), rotation: 0), as: UTF8.self)
            #expect(text.contains(field))
        }
        target.signatureVersion = 3
        #expect(throws: LoadTestError.self) { try DeviceCredential(sdkKey: "k", "secret", target) }
    }

    @Test("Both kinds of reports spell a token alike")
    func sameToken() throws {
        let url = try GatewayURL("http://127.0.0.1:1")
        let population = Population(seed: 12, first: 0, count: 10)
        let head = RequestHead(.sync, url: url, field: "X-Sdk-Key", key: try CallKey("k", name: "a key"))
        var buffer = ByteBuffer()
        DeviceRequest(head, population, fields: "", token: .updateToken).write(4, rotation: 0, to: &buffer)
        let body = String(buffer: buffer).split(separator: "\r\n\r\n").last ?? ""
        let token = try #require(try JSONDocument(parsing: Array(body.utf8)).root.member("token")?.string)
        let other = SyncRequest(head: head, population: population).request(4, .id("abc"), rotation: 0)
        #expect(String(decoding: other, as: UTF8.self).contains(#""token":"\#(token)""#))
    }
}
