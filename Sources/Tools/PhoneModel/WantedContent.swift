/// The content that a customer requested for a phone.
package struct WantedContent: Sendable {
    let attributes: [UInt8]
    let state: [UInt8]
    let isOver: Bool

    package init(attributes: String, state: String, isOver: Bool = false) {
        self.attributes = Array(attributes.utf8)
        self.state = Array(state.utf8)
        self.isOver = isOver
    }
}

extension Phone {
    /// Returns the difference between the shown and the wanted content, with both; nil if they are equal. Of several
    /// Live Activities with these attributes, the newest counts.
    package func difference(from wanted: WantedContent) -> String? {
        let asked = Self.text(wanted.attributes, wanted.state, wanted.isOver)
        guard let shown = liveActivities.last(where: { $0.attributes == wanted.attributes }) else {
            let others = liveActivities.map { Self.text($0.attributes, $0.state, $0.isOver) }
            let shown = others.isEmpty ? "no Live Activity" : others.joined(separator: " and ")
            let dropped = drops.first.map { " (it dropped a push: \($0))" } ?? ""
            return "shows \(shown)\(dropped), the customer asked for \(asked)"
        }
        guard shown.state == wanted.state, shown.isOver == wanted.isOver else {
            return "shows \(Self.text(shown.attributes, shown.state, shown.isOver)), the customer asked for \(asked)"
        }
        return drops.first.map { "shows \(asked) and dropped a push: \($0)" }
    }

    private static func text(_ attributes: [UInt8], _ state: [UInt8], _ isOver: Bool) -> String {
        let (attributes, state) = (String(decoding: attributes, as: UTF8.self), String(decoding: state, as: UTF8.self))
        return "\(state)\(isOver ? " as ended" : "") of \(attributes)"
    }
}
