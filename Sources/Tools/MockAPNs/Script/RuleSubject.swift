/// The properties of a request that rules match.
struct RuleSubject {
    /// Lower-case hexadecimal; empty for requests without a device.
    var token: [UInt8] = []
    var type: MockPushType?
    var event: MockRule.Event?
}
