/// The measured figures, in the order of their measurement. `Measurement` defines each figure.
struct Figures: Sendable {
    private var entries: [(name: String, value: Double, digits: Int)] = []

    mutating func add(_ name: String, _ value: Double, digits: Int = 1) {
        entries.append((name, value, digits))
        Progress.say("\(name) \(Figures.spell(value, digits))")
    }

    /// A JSON object of numbers.
    var json: String {
        "{" + entries.map { "\"\($0.name)\":\(Figures.spell($0.value, $0.digits))" }.joined(separator: ",") + "}"
    }

    var table: String {
        let width = entries.map(\.name.count).max() ?? 0
        return entries.map { name, value, digits in
            name + String(repeating: " ", count: width - name.count + 2) + Figures.spell(value, digits)
        }.joined(separator: "\n")
    }

    private static func spell(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite else { return "null" }
        guard digits > 0 else { return "\(Int(value.rounded()))" }
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return "\((value * scale).rounded() / scale)"
    }
}
