extension Scripts {
    static let addStartCells = ScriptLibrary.embedded["add-start-cells"]
    static let clearUpdateCell = ScriptLibrary.embedded["clear-update-cell"]
    static let joinUser = ScriptLibrary.embedded["join-user"]
    static let leaveUser = ScriptLibrary.embedded["leave-user"]
    static let placeDevice = ScriptLibrary.embedded["place-device"]
    static let putStartCell = ScriptLibrary.embedded["put-start-cell"]
    static let readCells = ScriptLibrary.embedded["read-cells"]
    static let readPages = ScriptLibrary.embedded["read-pages"]
    static let replaceIdentities = ScriptLibrary.embedded["replace-identities"]
    static let replaceUpdateToken = ScriptLibrary.embedded["replace-update-token"]
    static let takeSlot = ScriptLibrary.embedded["take-slot"]
}
