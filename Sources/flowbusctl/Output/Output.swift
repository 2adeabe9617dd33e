import Platform

/// Where the program writes, and how.
struct Output {
    /// Print JSON.
    let isJSON: Bool
    /// Does it go to a terminal?
    let isTerminal: Bool
    /// Write in colours.
    let hasColors: Bool
    /// Whether the reader's locale has lines and arrows.
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

    /// Writes a text in one piece.
    func write(_ text: String) throws(Failure) {
        do throws(SystemError) {
            try StandardOutput.write(text)
        } catch {
            throw Failure(.inputOutput, "could not write: \(error.reason)")
        }
    }

    /// Tells a person something that is not the answer.
    func note(_ text: String) { StandardError.writeLine("flowbusctl: \(text)") }

    /// How a piece of text stands out; ECMA-48, "Select graphic rendition".
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// The text in this style, where there are colours.
    func paint(_ text: String, _ style: Style) -> String {
        hasColors && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
