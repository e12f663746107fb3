import TimeCore

/// How many starts a slot was sent, where it is not one, and when it was made ready for the last of them. As it lies in
/// Redis: the number, and behind a colon the time in epoch ms. Records of earlier versions have no time.
struct StartNote: Equatable {
    let number: Int
    let preparedAt: WallTime?

    init(number: Int, preparedAt: WallTime?) {
        self.number = number
        self.preparedAt = preparedAt
    }

    init?(_ text: String?) {
        let parts = (text ?? "").split(separator: ":")
        guard let number = parts.first.flatMap({ Int($0) }) else { return nil }
        self.number = number
        preparedAt = parts.count > 1 ? Int64(parts[1]).map { WallTime(milliseconds: $0) } : nil
    }

    var text: String { preparedAt.map { "\(number):\($0.milliseconds)" } ?? "\(number)" }
}
