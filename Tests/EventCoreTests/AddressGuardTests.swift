import Encodings
import EventCore
import Testing

@Suite("Addresses that events may go to")
struct AddressGuardTests {
    @Test(
        "Addresses that are not public are refused, at both ends of each range",
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
            "127.255.255.255", "168.63.129.16", "::ffff:168.63.129.16", "169.254.0.0", "169.254.169.254",
            "169.254.255.255", "172.16.0.0", "172.31.255.255",
            "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
            "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "fc00::1", "fdff:ffff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "2001::1",
            "2001:db8::1",
            "3fff:fff::1", "64:ff9b:1::1", "100::1", "4000::1", "e000::1", "5f00::1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:192.168.1.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::", "2002:c0a8:101::1", "::127.0.0.1", "::7f00:1", "::8.8.8.8",
        ])
    func refused(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressGuard().refusal(of: address) != nil)
        #expect(AddressGuard(allowsPrivate: true).refusal(of: address) == nil)
    }

    @Test(
        "Public addresses are fine, next to each range too",
        arguments: [
            "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255",
            "172.32.0.0", "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e",
            "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        ])
    func allowed(text: String) throws {
        #expect(AddressGuard().refusal(of: try #require(IPAddress(text))) == nil)
    }

    @Test("Blocks of one's own can be opened, also for those who spell them in version 6")
    func blocks() throws {
        let block = try #require(AddressBlock("10.20.0.0/15"))
        let addressGuard = AddressGuard(allowed: [block])
        for (text, isFine) in [
            ("10.20.0.1", true), ("10.21.255.255", true), ("10.22.0.0", false), ("10.19.255.255", false),
            ("::ffff:10.20.0.1", true), ("127.0.0.1", false),
        ] {
            #expect((addressGuard.refusal(of: try #require(IPAddress(text))) == nil) == isFine, "\(text)")
        }
        let own = AddressGuard(allowed: [try #require(AddressBlock("fd00::1"))])
        #expect(own.refusal(of: try #require(IPAddress("fd00::1"))) == nil)
        #expect(own.refusal(of: try #require(IPAddress("fd00::2"))) != nil)
    }

    @Test("One address that is not public among several closes the name")
    func mixed() throws {
        let list = try ["8.8.8.8", "10.0.0.1", "1.1.1.1"].map { try #require(IPAddress($0)) }
        #expect(AddressGuard().refusal(of: list)?.contains("10.0.0.1") == true)
        #expect(AddressGuard().refusal(of: [list[0], list[2]]) == nil)
    }

    @Test(
        "Only plain spellings are addresses",
        arguments: [
            "", "1", "127.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "256.1.1.1", "0x7f.0.0.1", "1.2.3.-4",
            "1..2.3",
            " 1.2.3.4", "1.2.3.4 ", "+1.2.3.4", "::1%eth0", "fe80::1%25eth0", ":", ":::", "1:2:3:4:5:6:7", "1::2::3",
            "1:2:3:4:5:6:7:8:9", "12345::", "g::", "1.2.3.4::", "::1.2.3", "1:2:3:4:5:6:7::8", "[::1]", "::1/128",
            "٣.1.1.1",
        ])
    func spellings(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("Version 6 is read as it is written")
    func version6() throws {
        #expect(IPAddress("2001:db8::ff00:42:8329")?.description == "2001:db8::ff00:42:8329")
        #expect(IPAddress("::")?.bytes == [UInt8](repeating: 0, count: 16))
        #expect(IPAddress("1:2:3:4:5:6:7:8")?.description == "1:2:3:4:5:6:7:8")
        #expect(IPAddress("::FFFF:1.2.3.4")?.description == "::ffff:1.2.3.4")
        #expect(IPAddress("1::")?.description == "1::")
        #expect(IPAddress("64:ff9b::1.2.3.4") == IPAddress("64:ff9b::102:304"))
    }

    @Test(
        "Blocks that are none",
        arguments: ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "/8", "10.0.0/8", "::/129", "a/8"])
    func wrongBlocks(text: String) {
        #expect(AddressBlock(text) == nil)
    }
}

@Suite("URLs of receivers")
struct ReceiverURLTests {
    @Test("A URL is taken apart")
    func parts() throws {
        let url = try ReceiverURL("HTTPS://Hooks.Example.com:8443/a/b?c=d%20e")
        #expect(url.isSecure && url.host == "hooks.example.com" && url.port == 8443 && url.target == "/a/b?c=d%20e")
        #expect(url.authority == "hooks.example.com:8443" && url.address == nil)
        #expect(try ReceiverURL("https://a.b").target == "/")
        #expect(try ReceiverURL("https://a.b?x=1").target == "/?x=1")
        #expect(try ReceiverURL("https://a.b").authority == "a.b")
        let six = try ReceiverURL("https://[2606:4700::1111]:4430/")
        #expect(six.host == "2606:4700::1111" && six.authority == "[2606:4700::1111]:4430" && six.address != nil)
        #expect(try ReceiverURL("http://a.b/", allowsPlainHTTP: true).port == 80)
        #expect(try ReceiverURL("https://10.0.0.1/").address == IPAddress("10.0.0.1"))
    }

    @Test(
        "What programs read differently, or should not be there, is refused",
        arguments: [
            "", "example.com", "http://example.com/", "ftp://example.com/", "https://", "https:///x", "https://u@a.b/",
            "https://u:p@a.b/", "https://a.b#f", "https://a.b/#f", "https://a.b:0/", "https://a.b:65536/",
            "https://a.b:/", "https://a.b:25/", "https://a.b:22", "https://a.b:4a/", "https://a b/",
            "https://a.b\\@c.d/",
            "https://a.b/\n", "https://é.com/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/",
            "https://127.1/", "https://0177.0.0.1/", "https://1.2.3.4./", "https://a.b./", "https://.a.b/",
            "https://a..b/",
            "https://-a.b/", "https://a-.b/", "https://localhost/", "https://x.localhost/", "https://LOCALHOST:8443/",
            "https://[::1/", "https://[::1%25lo]/", "https://[fe80::1%eth0]/", "https://[1.2.3.4]/", "https://[::1]x/",
            "https://a.0x7f/", "https://a%2eb/", "https://a.b:443:80/", "//a.b/", "https:/a.b/",
        ])
    func refused(text: String) {
        #expect(throws: ReceiverURL.Refusal.self) { try ReceiverURL(text) }
    }

    @Test("A URL that is too long is refused")
    func long() {
        let path = String(repeating: "x", count: 2048)
        #expect(throws: ReceiverURL.Refusal.self) { try ReceiverURL("https://a.b/\(path)") }
        let label = String(repeating: "x", count: 64)
        #expect(throws: ReceiverURL.Refusal.self) { try ReceiverURL("https://\(label).com/") }
    }
}
