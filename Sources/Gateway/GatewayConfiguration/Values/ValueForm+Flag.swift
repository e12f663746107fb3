extension ValueForm where Value == Bool {
    /// The values true and false, in any case.
    static var flag: ValueForm {
        ValueForm(
            noun: "true or false", advice: "Use true or false.",
            parse: { text throws(ValueRefusal) in
                switch text.lowercased() {
                case "true": return true
                case "false": return false
                default: throw ValueRefusal()
                }
            }, show: { $0 ? "true" : "false" })
    }
}
