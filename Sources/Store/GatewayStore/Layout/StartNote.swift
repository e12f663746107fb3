import TimeCore

/// The starts of a slot after the first one. The stored text is the number, the time in epoch ms, and the order number,
/// separated by colons.
struct StartNote: Equatable {
    /// The number of starts.
    let number: Int
    /// The time at which the slot was made ready for the last start.
    let preparedAt: WallTime
    /// The order number of the activity's newest broadcast when the last start was requested. An end of single devices
    /// with this number or a lower one is for an earlier Live Activity. A start that heals a device keeps the number.
    let order: Int

    init(number: Int, preparedAt: WallTime, order: Int) {
        self.number = number
        self.preparedAt = preparedAt
        self.order = order
    }

    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ":")
        guard parts.count == 3, let number = Int(parts[0]), let time = Int64(parts[1]), let order = Int(parts[2]) else {
            return nil
        }
        self.init(number: number, preparedAt: WallTime(milliseconds: time), order: order)
    }

    var text: String { "\(number):\(preparedAt.milliseconds):\(order)" }
}
