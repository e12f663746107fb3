import MockAPNs
import TestHTTP2Client

extension TestClient {
    static func connect(
        to mock: TestMock, establish: Bool = true, isRaw: Bool = false, windowSize: UInt32 = 65_535
    ) async throws -> TestClient {
        try await connect(
            toPort: mock.mock.port, caFile: mock.mock.caFile, establish: establish, isRaw: isRaw,
            windowSize: windowSize)
    }
}

extension ControlClient {
    static func ask(
        _ mock: TestMock, _ target: String, method: String = "GET", body: String = ""
    ) throws -> Answer {
        try ask(url: mock.mock.controlURL, target, method: method, body: body)
    }
}

extension TestRequest {
    static func payload(_ event: String, note: String = "x") -> [UInt8] {
        let start =
            event == "start"
            ? #","attributes-type":"Match","attributes":{"id":1},"alert":{"title":"t","body":"b"}"# : ""
        return Array(
            #"{"aps":{"timestamp":1700000000,"event":"\#(event)","content-state":{"n":"\#(note)"}\#(start)}}"#.utf8)
    }
}
