/// What the conditions of a rule look at.
struct RuleSubject {
    /// Lower-case hexadecimal; empty for what goes to no device.
    var token: [UInt8] = []
    var type: MockPushType?
    var event: MockRule.Event?
}
