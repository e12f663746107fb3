import RosterCore

extension UpdateTokenState {
    /// The state of a cell without a token.
    ///
    /// - Parameter mark: The byte in place of the token.
    fileprivate init(mark: UInt8) {
        switch mark {
        case TokenPage.deadTokenMark: self = .dead
        case TokenPage.liveActivityShownMark: self = .shown
        default: self = .none
        }
    }
}

extension RosterCell {
    /// The state of the update token in the cell.
    var updateTokenState: UpdateTokenState { content.isEmpty ? UpdateTokenState(mark: mark) : .present }
}

extension TokenPage {
    /// Returns the state of the update token at an index.
    func updateTokenState(_ index: Int) -> UpdateTokenState {
        if case .content = cell(index) { return .present }
        let start = 1 + index * width
        guard width > 1, start + width <= bytes.count, bytes[start] == 0 else { return .none }
        return UpdateTokenState(mark: bytes[start + 1])
    }
}
