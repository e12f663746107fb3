import LiveActivity
import Testing
import TimeCore

@testable import GatewayStore

@Suite("Records of erasures")
struct ErasureRecordTests {
    @Test("An item of the due queue gives the erasure back, whatever the user is called")
    func items() {
        for name in ["ann", "a:b::c", ":", "user 1/ä", "x:y"] {
            for isOfUser in [true, false] {
                let erasure = Erasure(
                    tenantID: "tenant", insiderID: name, isOfUser: isOfUser,
                    erasedAt: WallTime(milliseconds: 1_700_000_000_123))
                let item = DueItem(erasure.description)
                #expect(
                    item == erasure.item && item?.shard == erasure.shard && item?.description == erasure.description)
            }
        }
        for text in ["x:", "x:1:2:t:u", "d:6e1f6a0e-98f1-4c5e-9d0c-4a8e0d6f0001:now:t:u", "x", "q:a:b:c:d"] {
            #expect(DueItem(text) == nil, "\(text)")
        }
    }

    @Test("Names are taken out of a run, the others stay where they are")
    func identities() throws {
        var run = IdentityRun()
        let names = ["user-1", "user-1", "user-12", "user-123", "zed"]
        for (number, name) in names.enumerated() { run.append(insiderID: name, device: UInt32(number + 1)) }
        let erased = try #require(IdentityRun.erasing([0, 1, 3], in: run.bytes))
        let page = IdentityPage([(Array("7".utf8), erased)])
        #expect((6...12).map { page.identity($0)?.insiderID } == [nil, nil, nil, "user-12", nil, "zed", nil])
        #expect(page.identity(11)?.device == 5)
        #expect(IdentityRun.erasing([5], in: run.bytes) == nil)
        #expect(IdentityRun.erasing([], in: run.bytes) == run.bytes)
    }

    @Test("Of an event's data only the user is taken out, and nothing else changes a byte")
    func events() throws {
        let erasure = Erasure(tenantID: "t", insiderID: "a\"ä", isOfUser: true, erasedAt: WallTime(seconds: 1))
        let ann = DeviceKey(insiderID: erasure.insiderID, udid: "1")
        let bob = DeviceKey(insiderID: "bob", udid: "2")
        func data(_ devices: [DeviceKey]) -> [UInt8] {
            JSONWriter.object {
                $0.raw("n", "1.0".utf8)
                $0.array("devices") { array in
                    for device in devices {
                        array.object {
                            $0.field("insider_id", device.insiderID)
                            $0.field("udid", device.udid)
                        }
                    }
                }
                $0.field("count", 3)
            }
        }
        #expect(NamedEvent(data([ann, bob, ann]), erasure)?.rest == data([bob]))
        let alone = try #require(NamedEvent(data([ann]), erasure))
        #expect(alone.rest == nil)
        #expect(NamedEvent(data([bob]), erasure) == nil && NamedEvent([1], erasure) == nil)
        let tap = JSONWriter.object { $0.field("insider_id", erasure.insiderID) }
        #expect(try #require(NamedEvent(tap, erasure)).rest == nil)
        // Each event contains the text that the store is searched for.
        for event in [data([ann]), data([bob, ann]), tap] {
            let text = String(decoding: NamedEvent.text(erasure), as: UTF8.self)
            #expect(String(decoding: event, as: UTF8.self).contains(text))
        }
    }

    @Test("What is left for the closing look names owners, and no token")
    func closing() throws {
        let key = DeviceKey(insiderID: "ann", udid: "phone")
        let owner = TokenOwner(key)
        let index = TokenIndex([1, 2, 3], tenantID: "t")
        let aside = try #require(
            SetAside([(Array(SetAside.closingField.utf8), []), (index.digest, owner.bytes)]))
        #expect(aside.isClosing && aside.owned.count == 1 && aside.tokens(of: "ann").isEmpty)
        #expect(aside.owned[0].digest == index.digest && aside.owned[0].owner == owner)
        #expect(SetAside([]) == nil)
    }
}
