import FCMCore
import Testing
import TimeCore

@Suite("A gateway's part of the quota") struct SendAllowanceTests {
    private func at(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 7) + .milliseconds(milliseconds)
    }

    /// 10,000 messages a second, 500 in a slice.
    private let full = SendAllowance(messagesPerMinute: 600_000)

    @Test(
        "A slice is 50 ms of the rate, and one message at least",
        arguments: [(600_000, 500), (1_200, 1), (1, 1), (-5, 1)])
    func slice(_ perMinute: Int, _ slice: Int) {
        #expect(SendAllowance(messagesPerMinute: perMinute).slice == slice)
    }

    @Test("Permits are asked for when messages wait, a slice at most, and anew when half is left")
    func asking() {
        var allowance = full
        #expect(allowance.messagesWait(0, now: at(0)) == nil && allowance.messagesLeave(5, now: at(0)) == 0)
        #expect(allowance.messagesWait(10_000, now: at(0))?.count == 500)
        #expect(allowance.messagesWait(10_000, now: at(1)) == nil)
        #expect(allowance.granted(1, 500, wait: .zero, now: at(2)) && allowance.permits(now: at(2)) == 500)
        #expect(allowance.messagesLeave(249, now: at(3)) == 249 && allowance.messagesWait(9_000, now: at(3)) == nil)
        #expect(allowance.messagesLeave(1, now: at(3)) == 1)
        // The held permits suffice for these messages.
        #expect(allowance.messagesWait(250, now: at(3)) == nil)
        #expect(allowance.messagesWait(260, now: at(3))?.count == 10)
        #expect(allowance.granted(2, 10, wait: .zero, now: at(4)) && allowance.messagesLeave(9_000, now: at(4)) == 260)
        #expect(allowance.permits(now: at(4)) == 0 && allowance.messagesLeave(1, now: at(4)) == 0)
    }

    @Test("Permits are good for a second, the older ones are used first, and no more count than were asked for")
    func life() {
        var allowance = full
        _ = allowance.messagesWait(100, now: at(0))
        #expect(allowance.granted(1, 1_000, wait: .zero, now: at(0)) && allowance.permits(now: at(0)) == 100)
        _ = allowance.messagesWait(160, now: at(500))
        #expect(allowance.granted(2, 60, wait: .zero, now: at(500)) == true)
        #expect(allowance.messagesLeave(30, now: at(600)) == 30 && allowance.permits(now: at(999)) == 130)
        #expect(allowance.permits(now: at(1_000)) == 60 && allowance.permits(now: at(1_499)) == 60)
        #expect(allowance.messagesLeave(100, now: at(1_500)) == 0)
    }

    @Test("A third grant lasts no longer than the second one")
    func thirdGrant() {
        var allowance = full
        for (number, time) in [(1, 0), (2, 100), (3, 200)] {
            _ = allowance.messagesWait(1_000, now: at(time))
            #expect(allowance.granted(UInt32(number), 10, wait: .zero, now: at(time)) == true)
        }
        #expect(allowance.permits(now: at(999)) == 30 && allowance.permits(now: at(1_000)) == 20)
        #expect(allowance.permits(now: at(1_099)) == 20 && allowance.permits(now: at(1_100)) == 0)
    }

    @Test("It is not asked before the time that the answer names, of a minute at most; without a permit not at once")
    func waiting() {
        for (count, wait, due) in [(3, 40, 40), (0, 40, 40), (0, 0, 10), (0, 9_999_999, 60_000)] {
            var allowance = full
            _ = allowance.messagesWait(100, now: at(0))
            #expect(allowance.granted(1, count, wait: .milliseconds(wait), now: at(0)) == (count > 0))
            #expect(allowance.nextLook == at(due))
            #expect(allowance.messagesWait(100, now: at(due - 1)) == nil)
            #expect(allowance.messagesWait(100, now: at(due))?.number == 2)
        }
    }

    @Test("A request that fails, or that nobody answers, is made again, and a late answer is passed over")
    func failing() {
        var allowance = full
        var time = 0
        for (number, pause) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1_000), (6, 1_000)] {
            #expect(allowance.messagesWait(1, now: at(time))?.number == UInt32(number))
            allowance.requestFailed(UInt32(number), now: at(time))
            #expect(allowance.messagesWait(1, now: at(time + pause - 1)) == nil)
            time += pause
        }
        _ = allowance.messagesWait(1, now: at(time))
        #expect(allowance.nextLook == at(time + 2_000) && allowance.messagesWait(1, now: at(time + 2_000)) == nil)
        #expect(allowance.messagesWait(1, now: at(time + 3_000))?.number == 8)
        #expect(allowance.granted(7, 1, wait: .zero, now: at(time + 3_000)) == false)
        allowance.requestFailed(7, now: at(time + 3_000))
        #expect(allowance.granted(8, 1, wait: .zero, now: at(time + 3_000)) == true)
    }

    @Test("When FCM says that the quota is used up, what is held is given up, and what is under way as well")
    func exceeded() {
        var allowance = full
        _ = allowance.messagesWait(100, now: at(0))
        _ = allowance.granted(1, 100, wait: .zero, now: at(0))
        _ = allowance.messagesWait(200, now: at(0))
        allowance.quotaExceeded(wait: .seconds(30), now: at(0))
        #expect(!allowance.granted(2, 100, wait: .zero, now: at(1)) && allowance.permits(now: at(1)) == 0)
        #expect(allowance.messagesWait(100, now: at(29_999)) == nil)
        allowance.quotaExceeded(wait: .seconds(1), now: at(2))
        #expect(allowance.messagesWait(100, now: at(30_000))?.number == 3)
    }
}
