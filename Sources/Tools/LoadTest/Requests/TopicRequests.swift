import LiveActivity
import NIOCore

/// The requests about one topic: those of the publishing system, and those of devices.
struct TopicRequests: Sendable {
    private let put: RequestHead
    private let type: String
    private let filler: String
    private let attributes: [UInt8]
    /// Complete requests.
    let reading: [UInt8]
    let deletion: [UInt8]
    let follow: DeviceRequest
    let unfollow: DeviceRequest

    init(_ load: TopicLoad, topic: Int, url: GatewayURL, keys: TopicKeys) {
        let name = load.topicName(topic)
        func head(_ kind: CallKind) -> RequestHead {
            RequestHead(kind, topic: name, url: url, field: "X-Api-Key", key: keys.api)
        }
        func device(_ kind: CallKind) -> DeviceRequest {
            let head = RequestHead(kind, topic: name, url: url, device: keys.device)
            return DeviceRequest(head, load.target.population, fields: "", token: nil)
        }
        put = head(.putTopic)
        type = load.activityType
        filler = String(repeating: "x", count: load.contentBytes)
        attributes = Array(PhonePlan.Attributes.topic.text(topic).utf8)
        reading = head(.getTopic).request([])
        deletion = head(.deleteTopic).request([])
        follow = device(.follow)
        unfollow = device(.unfollow)
    }

    /// Returns the request that announces the topic.
    func upcoming() -> [UInt8] {
        put.request(
            JSONWriter.object {
                $0.field("activity_type", type)
                $0.field("state", "upcoming")
            })
    }

    /// Returns the request for a topic that goes live, has a new content, or ends.
    ///
    /// - Parameter number: Increases with each publish of a match.
    func state(_ state: String, number: Int, title: String) -> [UInt8] {
        put.request(
            JSONWriter.object {
                $0.field("activity_type", type)
                $0.field("state", state)
                $0.field("sequence", number)
                $0.object("content") {
                    $0.field("title", title)
                    $0.field("message", "Number \(number)")
                    $0.raw("attributes", attributes)
                    $0.object("content_state") {
                        $0.field("number", number)
                        if !filler.isEmpty { $0.field("filler", filler) }
                    }
                }
            })
    }
}

/// The keys of the publishing system and of the devices.
struct TopicKeys: Sendable {
    let api: CallKey
    let device: DeviceCredential
}
