import Foundation

@testable import FanfareDevice

/// Shared fixtures.
enum Given {
    static let ann = DeviceIdentity(insiderID: "ann", udid: "phone-1")!
    static let bob = DeviceIdentity(insiderID: "bob", udid: "phone-1")!
    static let description = DeviceDescription(
        osVersion: "18.1", appVersion: "7.4.0", pushOptIn: true, gdprConsent: true, environment: .production)
    static let order = ExternalActivity(activityType: "Order", externalID: "order-1")!

    static func moment(_ seconds: Double, wall: Double = 0) -> Moment {
        Moment(wall: Date(timeIntervalSince1970: 1_800_000_000 + seconds + wall), uptime: 1000 + seconds)
    }

    static func signedIn() -> DeviceMachine {
        var machine = DeviceMachine()
        machine.signedIn(ann, description, at: moment(0))
        return machine
    }
}

extension DeviceMachine {
    /// Sends all due requests and answers them alike. Returns their methods and paths.
    @discardableResult
    mutating func sendAll(
        at seconds: Double,
        _ answer: GatewayAnswer = .answered(status: 200, retryAfter: nil, body: Data(#"{"status":"success"}"#.utf8))
    ) -> [String] {
        var sent: [String] = []
        while let next = nextSending(at: Given.moment(seconds)), sent.count < 100 {
            sent.append("\(next.request.method) \(next.request.path.dropFirst("/api/v1/sdk/".count))")
            answered(next.id, answer, at: Given.moment(seconds), draw: 0.5)
        }
        return sent
    }

    static func refusal(_ status: Int, _ code: String = "", retryAfter: Double? = nil, quota: String? = nil)
        -> GatewayAnswer
    {
        let quota = quota.map { #","quota":"\#($0)""# } ?? ""
        return .answered(
            status: status, retryAfter: retryAfter, body: Data(#"{"error":"no","code":"\#(code)"\#(quota)}"#.utf8))
    }
}

extension DeviceMachine {
    /// Returns the next due request.
    mutating func next(at seconds: Double) throws -> Sending {
        guard let next = nextSending(at: Given.moment(seconds)) else { throw Failure("nothing is to be sent") }
        return next
    }
}
