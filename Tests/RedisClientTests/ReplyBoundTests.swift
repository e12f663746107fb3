import CHiredis
import Testing

@testable import RedisClient

/// The announced size of a reply is checked against a bound before memory is allocated.
@Suite struct ReplyBoundTests {
    /// Reads bytes in pieces. Returns the number of whole replies, and the reason if the reader has ended.
    private func read(
        _ pieces: [String], elements: Int = 10, bytes: Int = 100_000
    ) throws -> (replies: Int, excess: String?) {
        let reader = try #require(redisReaderCreate())
        let bound = ReplyBound(reader, maximum: (elements, bytes))
        defer {
            bound.release(reader)
            redisReaderFree(reader)
        }
        var replies = 0
        for piece in pieces {
            piece.withCString { _ = redisReaderFeed(reader, $0, piece.utf8.count) }
            while true {
                var object: UnsafeMutableRawPointer?
                guard redisReaderGetReply(reader, &object) == REDIS_OK else {
                    return (replies, bound.excess(reader) ?? "the library's own reason")
                }
                guard let object else { break }
                replies += 1
                freeReplyObject(object)
            }
            if let excess = bound.excess(reader) { return (replies, excess) }
        }
        return (replies, nil)
    }

    @Test func whatIsWithinTheBoundIsReadEachReplyForItself() throws {
        let array = "*10\r\n" + String(repeating: "$3\r\nabc\r\n", count: 10)
        let result = try read(Array(repeating: array, count: 5) + ["$5\r\nhello\r\n", "+OK\r\n"], bytes: 30)
        #expect(result.replies == 7 && result.excess == nil, "\(result)")
    }

    @Test(
        "An array beyond the bound is refused with its head",
        arguments: [
            // One element too many, in one array and in nested arrays.
            ["*11\r\n"], ["*2\r\n*4\r\n:1\r\n:1\r\n:1\r\n:1\r\n*5\r\n"], ["+OK\r\n", "*2147483647\r\n"],
        ])
    func anArrayIsRefusedWithItsHead(_ pieces: [String]) throws {
        let result = try read(pieces)
        #expect(result.replies == pieces.count - 1)
        #expect(result.excess?.contains("more than 10 elements") == true, "\(result)")
    }

    @Test("A string is refused by what has come, not by what is to come")
    func aStringIsRefusedByWhatHasComeNotByWhatIsToCome() throws {
        let piece = String(repeating: "x", count: 1000)
        let claimed = try read(["$9999999999\r\n"])
        #expect(claimed.excess == nil)
        let coming = try read(["$9999999999\r\n"] + Array(repeating: piece, count: 100) + ["x"])
        #expect(coming.excess?.contains("100000 bytes") == true, "\(coming)")
        // Small strings of one reply count together.
        let many = try read([
            "*9\r\n" + String(repeating: "$20000\r\n\(String(repeating: "x", count: 20_000))\r\n", count: 9)
        ])
        #expect(many.replies == 0 && many.excess?.contains("100000 bytes") == true, "\(many)")
    }

    @Test func aLineWithoutAnEndIsRefusedBeforeItIsReadOverAndOver() throws {
        let piece = String(repeating: "x", count: 65_536)
        let result = try read(["+"] + Array(repeating: piece, count: 17), bytes: 100_000_000)
        #expect(result.excess != nil, "\(result)")
        #expect(try read(["+"] + Array(repeating: piece, count: 15), bytes: 100_000_000).excess == nil)
    }
}
