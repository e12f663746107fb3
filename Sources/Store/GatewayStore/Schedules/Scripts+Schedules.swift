extension Scripts {
    static let addSchedule = ScriptLibrary.embedded["add-schedule"]
    static let changeSchedule = ScriptLibrary.embedded["change-schedule"]
    static let concludeSchedule = ScriptLibrary.embedded["conclude-schedule"]
}
