import LiveActivity

/// The reference of a sync to its activity, and the findings of the first round trip that later ones need.
struct SyncLookup {
    /// The places to which a reported token may belong. The raw values are those of `put-update-cell.lua`.
    enum OtherPlaces: Int {
        case none
        /// The places of the device in other activities.
        case ofDevice
        /// Also those that other logins of the phone have in the activity.
        case ofOtherLogins
        /// That of an earlier Live Activity in the same place, which has the reported name.
        case ofEarlierLiveActivity
        /// None, and the token is written only if the place has none.
        case onlyIfVacant
        /// The device's places in other activities, if the Live Activity in the place has reported before. The name is
        /// a new one, and the topic leads to the place.
        case ofEarlierActivity

        /// True if the report may still be found to belong to another place or Live Activity.
        var isOpen: Bool { self != .none && self != .onlyIfVacant }
    }

    /// The reply of the user's hash.
    struct Reply {
        /// The device's slot; nil for a device that is not in the activity.
        var slot: UInt32?
        /// The activity of the Live Activity's name.
        var namedActivity: UniqueID?
        /// True if the report has a name that is a new one.
        var isNameNew = false
        var otherPlaces = OtherPlaces.none
    }

    /// The activity's type, when the device has named one.
    var type: String?
    /// True if the report names a topic, whose present activity may not be that of the Live Activity.
    var isByTopic = false
    /// True if the Live Activity's name is a new one.
    var isNameNew = false
    var otherPlaces = OtherPlaces.none

    /// True if nothing but the topic leads to the place.
    var isNewByTopic: Bool { isByTopic && isNameNew }

    mutating func add(_ reply: Reply) {
        isNameNew = reply.isNameNew
        if reply.otherPlaces != .none { otherPlaces = reply.otherPlaces }
        guard reply.slot != nil, otherPlaces == .none else { return }
        if reply.namedActivity != nil { otherPlaces = .ofEarlierLiveActivity }
        if isNewByTopic { otherPlaces = .ofEarlierActivity }
    }
}
