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
        let (insiderID, udid) = (population.insiderID(device), population.udid(device))
        var request = head.request(
            Array(
                """
                {"insider_id":"\(insiderID)","udid":"\(udid)",\
                "activity_id":"\(activityID)","token":"\(String(decoding: token, as: UTF8.self))"}
                """.utf8))
        if let signer = head.signer {
            let signature = signer.sign(insiderID: insiderID.utf8, udid: udid.utf8)
            request.replaceSubrange(head.signatureAt..<head.signatureAt + signature.count, with: signature)
        }
        return request
    }
}
