/// Decides which activity a report is for that names an activity type alone.
///
/// A token belongs to the Live Activity that reported it first, also after that Live Activity has lost it. Any other
/// report goes to the running activity of the type. Of several running activities the only one without a token takes
/// it.
enum ReportedType {
    /// The relation of the reported token to a slot. The raw values are those of `find-token.lua`.
    enum TokenRank: Int {
        /// The token of a Live Activity that has ended, or was started again since.
        case ofEarlierLiveActivity = -1
        /// The slot never had it, or the report has none.
        case unknown
        /// The slot has had another token since.
        case earlier
        /// The slot had it last, and has no token now.
        case last
        /// The slot has it.
        case present

        /// True if the slot has had no token since.
        var isCurrent: Bool { self == .last || self == .present }
    }

    /// The state of the Live Activity in a place.
    enum Stand {
        /// Not on the device.
        case gone
        /// Perhaps on the device. Its activity has ended.
        case over
        /// Perhaps on the device. Its activity goes on.
        case running
    }

    /// A place of the device, or of another login of its phone, in an activity that has started.
    struct Place {
        var rank: TokenRank
        var isOfType: Bool
        var hasToken: Bool
        /// True if the Live Activity has lost its token.
        var hasLostToken = false
        /// True if the Live Activity is known by another name than the reported one.
        var hasOtherName = false
        /// True if a report without a known name is not surely its own.
        var isDoubtful: Bool { hasLostToken || hasOtherName }
        var stand = Stand.gone
    }

    /// The place whose Live Activity has or had the token; nil for none.
    static func owner(_ ranks: [TokenRank]) -> Int? {
        for rank in [TokenRank.present, .last, .earlier, .ofEarlierLiveActivity] {
            if let owner = ranks.firstIndex(of: rank) { return owner }
        }
        return nil
    }

    enum Decision: Equatable {
        case none
        case place(Int)
        /// The token is an earlier one of this place: nothing is to be written.
        case former(Int)
        case ambiguous([Int])
    }

    /// - Parameters:
    ///   - places: The places of all logins of the phone, the newest activity first.
    ///   - isDismissed: True if the report is of a dismissal. It may then be for any running Live Activity.
    static func decide(_ places: [Place], isDismissed: Bool) -> Decision {
        if let owner = owner(places.map(\.rank)) {
            guard places[owner].isOfType else { return .none }
            let rank = places[owner].rank
            // A dismissal is final, so a late report of one counts like a new one.
            return rank.isCurrent || isDismissed && rank == .earlier ? .place(owner) : .former(owner)
        }
        let ofType = places.indices.filter { places[$0].isOfType }
        let running = ofType.filter { places[$0].stand == .running }
        guard running.count > 1 else {
            let over = ofType.filter { places[$0].stand == .over }
            guard let only = running.first ?? over.first else { return .none }
            // Beside a running one with another name, the report may be the first one of an ended one.
            let isOther = !running.isEmpty && places[only].hasOtherName
            let silent = isOther ? over.filter { !places[$0].hasToken && !places[$0].isDoubtful } : []
            return silent.isEmpty ? .place(only) : .ambiguous([only] + silent)
        }
        let waiting = isDismissed ? running : running.filter { !places[$0].hasToken }
        if waiting.count == 1, isDismissed || !places[waiting[0]].isDoubtful { return .place(waiting[0]) }
        return .ambiguous(waiting.count > 1 ? waiting : running)
    }
}

// A phone that signed in with another login.
extension ReportedType {
    /// The place of another login of the phone.
    struct LoginPlace {
        var rank = TokenRank.unknown
        /// True if the name of the reported Live Activity is known of the login.
        var hasName = false
        /// True if the phone may show the login's Live Activity.
        var isShown = false
        var hasToken = false
        /// True if the Live Activity has lost a token.
        var hasLostToken = false
    }

    /// The place of another login to which the reported Live Activity belongs; nil if it is the device's own.
    /// - Parameter mayBeOwn: true if the device may show a Live Activity of its own.
    static func otherLogin(_ places: [LoginPlace], mayBeOwn: Bool) -> Int? {
        knownLogin(places) ?? (mayBeOwn ? nil : shownLogin(places))
    }

    /// The place of another login whose Live Activity has or had the reported token or name; nil for none.
    static func knownLogin(_ places: [LoginPlace]) -> Int? {
        owner(places.map(\.rank)) ?? places.firstIndex(where: \.hasName)
    }

    /// The place of another login whose Live Activity the phone shows, preferably one without a token; nil for none.
    static func shownLogin(_ places: [LoginPlace]) -> Int? {
        let shown = places.indices.filter { places[$0].isShown }
        return shown.first { !places[$0].hasToken } ?? shown.last
    }
}
