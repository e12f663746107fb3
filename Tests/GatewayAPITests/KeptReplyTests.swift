import LiveActivity
import Testing

@testable import GatewayAPI

@Suite("Replies that are kept for repetitions")
struct KeptReplyTests {
    /// A reply to a registration that names devices without consent.
    private func reply(devices: Int, name: (Int) -> String) -> [UInt8] {
        JSONWriter.object {
            $0.field("status", "success")
            $0.array("gdpr_denied_details") { array in
                for device in 0..<devices { array.object { $0.field("insider_id", name(device)) } }
            }
            $0.field("partial", true)
        }
    }

    /// Names that cannot be compressed to much less than half.
    private func random(_ device: Int) -> String { UniqueID.random().description }

    @Test("A short reply is kept as it is, a longer one as gzip, and both come back byte for byte")
    func whole() throws {
        for (devices, isPacked) in [(0, false), (10, false), (1000, true)] {
            let body = reply(devices: devices, name: random)
            let kept = KeptReply.pack(body, isBrief: false)
            #expect((kept != body) == isPacked && kept.count <= KeptReply.longest)
            #expect(KeptReply.unpack(kept) == body)
        }
    }

    @Test("One that is too long as gzip, or comes when kept answers take what they may, is kept without its lists")
    func brief() throws {
        let brief = Array(#"{"status":"success","gdpr_denied_details":[],"partial":true}"#.utf8)
        let long = reply(devices: 1000) { device in (0..<8).map { _ in random(device) }.joined() }
        #expect(KeptReply.pack(long, isBrief: false) == brief)
        #expect(KeptReply.pack(reply(devices: 1000, name: random), isBrief: true) == brief)
        let short = reply(devices: 10, name: random)
        #expect(KeptReply.pack(short, isBrief: true) == short)
    }

    @Test("A thousand devices with the longest names of control characters are kept whole in some kilobytes")
    func controlCharacters() throws {
        let body = reply(devices: 1000) { device in "\(device)" + String(repeating: "\u{1}", count: 480) }
        let kept = KeptReply.pack(body, isBrief: false)
        #expect(body.count > 2_800_000 && kept.count < KeptReply.longest)
        #expect(KeptReply.unpack(kept) == body)
    }

    @Test("What is damaged is no reply")
    func damaged() throws {
        let kept = KeptReply.pack(reply(devices: 1000, name: random), isBrief: false)
        #expect(KeptReply.unpack(Array(kept.dropLast(9))) == nil)
        for position in [3, 200, kept.count - 6, kept.count - 2] {
            var other = kept
            other[position] ^= 0x41
            #expect(KeptReply.unpack(other) == nil, "byte \(position)")
        }
    }
}
