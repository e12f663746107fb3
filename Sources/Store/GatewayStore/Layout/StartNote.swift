import TimeCore

/// The starts of a slot, beyond a single first one. In Redis: the number, the time in epoch ms, and the order number,
/// with colons between them. Records of earlier versions lack the order number or both.
struct StartNote: Equatable {
    /// The number of starts.
    let number: Int
    /// The time at which the slot was made ready for the last start.
    let preparedAt: WallTime?
    /// The order number of the activity's newest broadcast when the last start was asked for. An end of single devices
    /// that was recorded by then is for an earlier Live Activity. A start that heals a device is not asked for.
    let order: Int

    init(number: Int, preparedAt: WallTime?, order: Int) {
        self.number = number
        self.preparedAt = preparedAt
        self.order = order
    }

    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ":")
        guard let number = parts.first.flatMap({ Int($0) }) else { return nil }
        self.number = number
        preparedAt = parts.count > 1 ? Int64(parts[1]).map { WallTime(milliseconds: $0) } : nil
        order = parts.count > 2 ? Int(parts[2]) ?? 0 : 0
    }

    var text: String { preparedAt.map { "\(number):\($0.milliseconds):\(order)" } ?? "\(number)" }
}
