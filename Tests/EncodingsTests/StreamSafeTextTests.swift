import Encodings
import Testing

@Suite("Text without endless rows of combining marks")
struct StreamSafeTextTests {
    private static func marks(_ count: Int) -> String { String(repeating: "\u{301}\u{327}", count: count / 2) }

    @Test("Thirty marks in a row are taken and no more, wherever they stand")
    func rows() {
        for text in ["", "a", "insider_id", "Zürich", "e\u{301}", "नमस्ते दुनिया", "👩‍👩‍👧‍👦🏳️‍🌈", "한국어", "ﷺ"] {
            #expect(StreamSafeText.holds(text), "\(text)")
            #expect(StreamSafeText.holds(String(repeating: text, count: 1_000)))
        }
        for (before, behind) in [("", ""), ("e", "x"), (String(repeating: "a", count: 1_000), "b")] {
            #expect(StreamSafeText.holds(before + Self.marks(30) + behind))
            #expect(!StreamSafeText.holds(before + Self.marks(30) + "\u{302}" + behind))
            #expect(StreamSafeText.holds(before + Self.marks(30) + "i" + Self.marks(30) + behind))
        }
        for length in 0..<20 {
            #expect(StreamSafeText.holds(String(repeating: "a", count: length) + "é"))
            #expect(!StreamSafeText.holds(String(repeating: "a", count: length) + Self.marks(32)))
        }
    }

    @Test("A beginning is cut between characters' bytes, and of other text nothing is shown")
    func beginnings() {
        #expect(StreamSafeText.beginning(of: "abc", bytes: 3) == "abc")
        #expect(StreamSafeText.beginning(of: "abcd", bytes: 3) == "abc…")
        #expect(StreamSafeText.beginning(of: "aéb", bytes: 2) == "a…")
        #expect(StreamSafeText.beginning(of: "😀😀", bytes: 5) == "😀…")
        #expect(StreamSafeText.beginning(of: "a" + Self.marks(100_000), bytes: 3) == "…")
    }
}
