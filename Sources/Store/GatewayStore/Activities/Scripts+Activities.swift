extension Scripts {
    static let claimExternalActivity = ScriptLibrary.embedded["claim-external-activity"]
    static let confirmRemoval = ScriptLibrary.embedded["confirm-removal"]
    static let confirmSlots = ScriptLibrary.embedded["confirm-slots"]
    static let listActivity = ScriptLibrary.embedded["list-activity"]
    static let makeActivity = ScriptLibrary.embedded["make-activity"]
    static let reserveSlots = ScriptLibrary.embedded["reserve-slots"]
    static let unlistActivities = ScriptLibrary.embedded["unlist-activities"]
    static let unlock = ScriptLibrary.embedded["unlock"]
}
