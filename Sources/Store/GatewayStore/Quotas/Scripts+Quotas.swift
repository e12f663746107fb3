extension Scripts {
    static let addRequests = ScriptLibrary.embedded["add-requests"]
    static let addUsage = ScriptLibrary.embedded["add-usage"]
    static let noteUse = ScriptLibrary.embedded["note-use"]
    static let openActivity = ScriptLibrary.embedded["open-activity"]
    static let releaseSchedules = ScriptLibrary.embedded["release-schedules"]
    static let reserveSchedule = ScriptLibrary.embedded["reserve-schedule"]
    static let takePermits = ScriptLibrary.embedded["take-permits"]
    static let slowDown = ScriptLibrary.embedded["slow-down"]
}
