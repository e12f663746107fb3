import LiveActivity
import RosterCore

extension Keys {
    /// Push-to-start tokens, one cell for each slot of the page.
    static func startPage(_ activity: UniqueID, _ page: Int) -> String { self.page(.startTokens, activity, page) }

    /// Update tokens, one cell for each slot of the page.
    static func updatePage(_ activity: UniqueID, _ page: Int) -> String { self.page(.updateTokens, activity, page) }

    /// The slots of the page that held a token at its last reading for an update: see `catch-up.lua`.
    static func readPage(_ activity: UniqueID, _ page: Int) -> String { "\(pagePrefix(activity, page)):n:\(page)" }

    /// The delivery statuses of the page's slots, one byte each.
    static func statusPage(_ activity: UniqueID, _ page: Int) -> String { self.page(.statuses, activity, page) }

    /// The outcomes of the last pushes to the page's slots.
    static func outcomePage(_ activity: UniqueID, _ page: Int) -> String { self.page(.outcomes, activity, page) }

    /// The identities of the page's slots, as runs by their first slot in the page.
    static func identityPage(_ activity: UniqueID, _ page: Int) -> String { self.page(.identities, activity, page) }

    /// The partition's counts, its short pages, and the digests of its former tokens.
    static func counters(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):c"
    }

    /// The ends that wait for an update token, as a hash from slot to broadcast.
    static func pendingEnds(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):e"
    }

    /// The key prefixes of a partition's status, outcome and update token pages. The page's number follows.
    static func statusPrefix(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):f:"
    }

    static func outcomePrefix(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):o:"
    }

    static func updatePrefix(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):\(PageKey.Content.updateTokens.rawValue):"
    }

    /// The key of a page that is not a field: see `PageKey`.
    static func page(_ content: PageKey.Content, _ activity: UniqueID, _ page: Int) -> String {
        "\(pagePrefix(activity, page)):\(content.rawValue):\(page)"
    }

    private static func pagePrefix(_ activity: UniqueID, _ page: Int) -> String {
        partition(activity, RosterGeometry.partition(ofPage: page))
    }
}
