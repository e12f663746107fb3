import LiveActivity
import TimeCore

/// The requests of a marketing system with one key.
struct MarketingRequests: Sendable {
    private let heads: PerKind<RequestHead>
    private let population: Population
    private let type: String
    /// The filler that gives every content state the requested length.
    private let filler: String

    init(url: GatewayURL, key: CallKey, population: Population, type: String, contentBytes: Int) {
        self.population = population
        self.type = type
        filler = String(repeating: "x", count: max(0, contentBytes))
        var heads = PerKind(RequestHead(.register, url: url, field: "X-Api-Key", key: key))
        for kind in CallKind.allCases { heads[kind] = RequestHead(kind, url: url, field: "X-Api-Key", key: key) }
        self.heads = heads
    }

    func register(_ devices: [Int], endsAt: WallTime) -> [UInt8] {
        heads[.register].request(
            JSONWriter.object {
                $0.field("activity_type", type)
                $0.raw("insider_ids", list(devices))
                $0.field("ends_at", endsAt.rfc3339)
            })
    }

    func addUsers(_ id: String, _ devices: [Int]) -> [UInt8] {
        heads[.addUsers].request(
            JSONWriter.object {
                $0.field("activity_id", id)
                $0.field("activity_type", type)
                $0.raw("insider_ids", list(devices))
            })
    }

    /// Returns a start, update or end.
    ///
    /// - Parameters:
    ///   - attributes: The JSON attributes that distinguish activities of one type on a phone.
    ///   - targets: The devices to address; nil for all.
    ///   - number: A number that identifies the content.
    ///   - isForced: True to end an activity without reported devices.
    func broadcast(
        _ kind: CallKind, _ id: String, attributes: String, targets: [Int]?, number: Int, isForced: Bool = false
    ) -> [UInt8] {
        heads[kind].request(
            JSONWriter.object {
                $0.field("activity_id", id)
                $0.field("activity_type", type)
                $0.object("content") {
                    if kind == .start {
                        $0.field("title", "Load test")
                        $0.field("message", "Number \(number)")
                        $0.raw("attributes", Array(attributes.utf8))
                    }
                    $0.object("content_state") {
                        $0.field("number", number)
                        if !filler.isEmpty { $0.field("filler", filler) }
                    }
                }
                if let targets {
                    $0.array("target_devices") { array in
                        for device in targets {
                            array.object {
                                $0.field("insider_id", population.insiderID(device))
                                $0.field("udid", population.udid(device))
                            }
                        }
                    }
                }
                if isForced { $0.object("options") { $0.field("force", true) } }
            })
    }

    private func list(_ devices: [Int]) -> [UInt8] {
        JSONWriter.array { array in
            for device in devices { array.element(population.insiderID(device)) }
        }
    }
}
