import BroadcastCore
import Testing

@Suite("Telling what became of pages")
struct EventTellingTests {
    /// A place that expectations may change it at.
    private final class Place {
        var telling = EventTelling<Int, String>()

        func pagesWritten(_ job: Int) -> Bool { telling.pagesWritten(job) }
        func published(_ job: Int, isSuccess: Bool) -> EventTelling<Int, String>.Outcome {
            telling.published(job, isSuccess: isSuccess)
        }
    }

    private func next(_ outcome: EventTelling<Int, String>.Outcome) -> String? {
        switch outcome {
        case .again: "again"
        case .afterPause: "after a pause"
        case .told(let next): next
        }
    }

    @Test("One publishing at a time, once more for pages that were written meanwhile, and then what follows")
    func usual() {
        let place = Place()
        #expect(place.pagesWritten(1) && place.pagesWritten(2))
        #expect(!place.pagesWritten(1))
        place.telling.follow(1, with: "removed")
        #expect(next(place.published(1, isSuccess: true)) == "again")
        #expect(next(place.published(1, isSuccess: true)) == "removed")
        #expect(next(place.published(2, isSuccess: true)) == nil)
        #expect(place.pagesWritten(1))
    }

    @Test("What follows is not forgotten when it is said in the pause after a failure")
    func failed() {
        let place = Place()
        #expect(place.pagesWritten(1))
        #expect(next(place.published(1, isSuccess: false)) == "after a pause")
        #expect(!place.pagesWritten(1))
        place.telling.follow(1, with: "removed")
        #expect(next(place.published(1, isSuccess: false)) == "after a pause")
        #expect(next(place.published(1, isSuccess: true)) == "again")
        #expect(next(place.published(1, isSuccess: true)) == "removed")
    }

    @Test("A job that somebody else has is begun anew, with nothing to follow")
    func dropped() {
        let place = Place()
        #expect(place.pagesWritten(1))
        place.telling.follow(1, with: "removed")
        place.telling.dropped(1)
        #expect(place.pagesWritten(1))
        #expect(next(place.published(1, isSuccess: true)) == nil)
    }
}
