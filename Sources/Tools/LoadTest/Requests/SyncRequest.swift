/// The report of a device's update token for an activity that is different each time.
struct SyncRequest: Sendable {
    let head: RequestHead
    let population: Population

    func request(_ device: Int, activityID: String) -> [UInt8] {
        let words = population.token(device, .updateToken, rotation: 0)
        var token = [UInt8](repeating: 0, count: 64)
        token.withUnsafeMutableBytes { target in
            for (index, word) in [words.0, words.1, words.2, words.3].enumerated() {
                HexadecimalText.put(word, at: index * 16, in: target)
            }
        }
        return head.request(
            Array(
                """
                {"insider_id":"\(population.insiderID(device))","udid":"\(population.udid(device))",\
                "activity_id":"\(activityID)","token":"\(String(decoding: token, as: UTF8.self))"}
                """.utf8))
    }
}
