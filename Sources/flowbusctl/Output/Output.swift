import Platform

/// The output of the program, and its format.
struct Output {
    /// Whether to print JSON.
    let isJSON: Bool
    /// Whether the output is a terminal.
    let isTerminal: Bool
    /// Whether to use colors.
    let hasColors: Bool
    /// Whether the locale has box-drawing characters and arrows.
    let hasUnicode: Bool

    init(_ options: Options) {
        isJSON = options.json
        isTerminal = Terminal.isOutput
        // https://no-color.org: set, and not empty.
        let isForbidden = !(Environment.value(of: "NO_COLOR") ?? "").isEmpty
        hasColors =
            switch options.color ?? .auto {
            case .always: true
            case .never: false
            case .auto: isTerminal && !isForbidden && Environment.value(of: "TERM") != "dumb"
            }
        hasUnicode = Terminal.usesUTF8
    }

    /// Writes a line.
    func line(_ line: String) throws(Failure) { try write(line + "\n") }

    /// Writes a line of JSON.
    func line(_ json: JSON) throws(Failure) { try line(json.text) }

    /// Writes a text with one call.
    func write(_ text: String) throws(Failure) {
        do throws(SystemError) {
            try StandardOutput.write(text)
        } catch {
            throw Failure(.inputOutput, "could not write: \(error.reason)")
        }
    }

    /// Prints a note to standard error.
    func note(_ text: String) { StandardError.writeLine("flowbusctl: \(text)") }

    /// A text style; ECMA-48, "Select graphic rendition".
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// Returns the text in a style, if colors are used.
    func paint(_ text: String, _ style: Style) -> String {
        hasColors && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
