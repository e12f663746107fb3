import LiveActivity

/// The body of a request to create a channel.
struct ChannelRequest: Equatable {
    let storesMessages: Bool

    /// Throws the rejection of an invalid body.
    init(_ body: [UInt8]) throws(Rejection) {
        guard !body.isEmpty else { throw .payloadEmpty }
        let members: [JSONValue?]?
        do {
            let root = try JSONDocument(parsing: body).root
            members = root.kind == .object ? try root.members(["message-storage-policy", "push-type"]) : nil
        } catch {
            throw .badPayload
        }
        guard let members, let policy = members[0]?.int64, (0...1).contains(policy) else { throw .badPayload }
        guard let type = members[1] else { throw .missingPushType }
        guard type.string == "LiveActivity" else { throw .invalidPushType }
        storesMessages = policy == 1
    }

    /// Returns the body of the answer to a read call.
    static func text(of channel: MockChannel) -> [UInt8] {
        JSONWriter.object {
            $0.field("message-storage-policy", channel.storesMessages ? 1 : 0)
            $0.field("push-type", "LiveActivity")
        }
    }
}
