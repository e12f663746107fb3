import LiveActivity
import RosterCore

extension Keys {
    /// Push-to-start tokens, a cell for each slot of the page.
    static func startPage(_ activity: UniqueID, _ page: Int) -> String { self.page(.startTokens, activity, page) }

    /// Update tokens, a cell for each slot of the page.
    static func updatePage(_ activity: UniqueID, _ page: Int) -> String { self.page(.updateTokens, activity, page) }

    /// Which slots of the page held a token when it was last read for an update, see `catch-up.lua`.
    static func readPage(_ activity: UniqueID, _ page: Int) -> String { "\(pagePrefix(activity, page)):n:\(page)" }

    /// What became of each slot of the page, a byte each.
    static func statusPage(_ activity: UniqueID, _ page: Int) -> String { self.page(.statuses, activity, page) }

    /// What the last push to each slot of the page came to.
    static func outcomePage(_ activity: UniqueID, _ page: Int) -> String { self.page(.outcomes, activity, page) }

    /// Who the slots of the page are: runs of identities by their first slot in the page.
    static func identityPage(_ activity: UniqueID, _ page: Int) -> String { self.page(.identities, activity, page) }

    /// How many cells of the partition hold a token; and its short pages.
    static func counters(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):c"
    }

    /// Slots whose Live Activity must be ended as soon as they report an update token: slot -> broadcast.
    static func pendingEnds(_ activity: UniqueID, _ partition: Int) -> String {
        "\(Keys.partition(activity, partition)):e"
    }

    /// What the keys of a partition's status pages begin with, of its outcome pages, and of those of its update tokens;
    /// the page's number follows.
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
