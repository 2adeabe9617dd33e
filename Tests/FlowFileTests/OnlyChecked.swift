import Testing

/// A kind of error that the checks find and a schema can't, as JSON Schema knows neither references between names nor
/// arithmetic.
struct OnlyChecked: CustomTestStringConvertible, Sendable {
    /// What no schema can know.
    let why: String
    /// What all messages of this kind have in them.
    let message: String
    /// Distinguishes them from others with the same contents.
    var pattern: @Sendable (String) -> Bool = { _ in true }
    /// Whether a schema can see some of them.
    var isSometimesSeen = false
    /// A text with this error alone, which no schema can see; `version = 1` stands before it.
    let example: String

    var testDescription: String { why }

    /// The kind that a message is of.
    static func kind(of message: String) -> OnlyChecked? {
        all.first { message.contains($0.message) && $0.pattern(message) }
    }

    private static let f = "[steps]\ngo = { n = 'byte', m = 'string?' }\nrest = {}\n[screens]\ns = {}\n"

    private static func rule(_ rule: String) -> String { f + "[flows.f.on]\ngo = " + rule }

    private static let stepper =
        "[steps]\nrest = {}\n[flows.f]\n[[steppers]]\nflow = 'f'\nname = 'a.b'\ninterface = 'a.b'\nsignal = 'S'\nstep = 'rest'\n"

    static let all: [OnlyChecked] = [
        OnlyChecked(
            why: "names are declared elsewhere, in other files, too", message: "no file declares a ",
            // What can't be a name at all, the schema refuses; so it does a name without its quotes.
            pattern: { message in
                let name = message.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
                return !message.contains("in quotes") && name != "root"
                    && name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.-]*/) != nil
            },
            example: "[flows.f]\ninitial = 'go'"),
        OnlyChecked(
            why: "a step of that name may be declared elsewhere, if it looks like a rule", message: " stands below [",
            isSometimesSeen: true, example: f + "[flows.f.on]\ninitial = { none = true }"),
        OnlyChecked(
            why: "what an argument's name may be is declared elsewhere", message: " has no argument '",
            pattern: { $0.firstMatch(of: /\ has no argument '[A-Za-z_][A-Za-z0-9_]*'/) != nil },
            example: rule("{ current = 'rest', arguments = { x = 1 } }")),
        OnlyChecked(
            why: "so is which arguments are needed", message: " needs the argument '",
            example: rule("{ current = 'go', when = { n = 1 }, arguments = {} }")),
        OnlyChecked(
            why: "so is which of them are a key", message: " is not told apart by '",
            example: rule("{ dismiss = { screen = 't', m = 'x' } }") + "\n[screens.t]\narguments = { m = 'string' }"),
        OnlyChecked(
            why: "whether a step is private stands elsewhere", message: " gets the private ",
            example: "[private]\nsteps = ['go']\n" + rule("{ screen = 't' }")
                + "\n[screens.t]\narguments = { m = 'string?' }\nkey = ['m']"),
        OnlyChecked(
            why: "how many types a signature has takes a parser", message: " is not the signature of the ",
            example: stepper + "path = { call = 'A', signature = 'ss', arguments = ['x'] }"),
        OnlyChecked(
            why: "two tables of a list are not compared", message: " is the same; remove one of them",
            example: stepper + stepper.split(separator: "\n").suffix(6).joined(separator: "\n")),
        OnlyChecked(
            why: "times are not compared", message: " is not later than the stage before",
            example: f + "[flows.f]\nidle = [{ after = '2s', step = 'rest' }, { after = '1s', step = 'rest' }]"),
        OnlyChecked(
            why: "so are their types", message: " does not fit: ",
            // What fits no type, the schema refuses.
            pattern: { !$0.contains("date or time") && !$0.contains("can't go over the bus") },
            example: rule("{ current = 'go', when = { n = 1 }, arguments = { n = 256 } }")),
        OnlyChecked(
            why: "so are the types of what is referred to", message: " has to be of type ",
            pattern: { $0.contains("' is of type ") || $0.contains(" gets from ") },
            example: rule("{ current = 'go', when = { n = 1 }, arguments = { n = '$m' } }")),
        OnlyChecked(
            why: "so is whether it may be left out", message: " may be left out",
            example: f + "[flows.f.on]\ngo = { screen = 't', arguments = { m = '$m' } }\n[screens.t]\n"
                + "arguments = { m = 'string' }"),
        OnlyChecked(
            why: "so is what can be referred to", message: " refers to nothing ",
            example: rule("{ current = 'go', when = { n = 1 }, arguments = { n = '$x' } }")),
        OnlyChecked(
            why: "so is whether a flow has an initial step", message: "flow has no initial step",
            example: rule("{ flow = 'f', stepArguments = {} }")),
        OnlyChecked(
            why: "the same of a root", message: "' has no initial step, so nothing takes these arguments",
            example: "[flows.f]\n[[autostart]]\nflow = 'f'\nstepArguments = {}"),
        OnlyChecked(
            why: "a flow's keys and rules can be in different files", message: "this flow has \"",
            example: rule("{ screen = 's', reuse = 'raise' }")),
        OnlyChecked(
            why: "the same of a stack", message: "in a stack the newest child is in front",
            example: f + "[flows.f]\nchildren = 'stack'\n[flows.f.on]\ngo = { show = 's' }"),
        OnlyChecked(
            why: "so of layers", message: "children of layers are flows",
            example: f + "[flows.f]\nchildren = 'layers'\nlayers = ['x']\n[flows.f.on]\ngo = { screen = 's' }"),
        OnlyChecked(
            why: "so of their children", message: "so it has to say whether it stays",
            example: f
                + "[flows.f]\nchildren = 'layers'\nlayers = ['x']\n[flows.f.on]\nrest = { flow = 'g' }\n[flows.g]"),
        OnlyChecked(
            why: "the names of layers are elsewhere", message: "this flow has no layer '",
            example: f
                + "[flows.f]\nchildren = 'layers'\nlayers = ['x']\n[flows.f.on]\ngo = { flow = 'g', layer = 'y' }\n[flows.g]\nwhenEmpty = 'go'"
        ),
        OnlyChecked(
            why: "a flow's keys can be in different files", message: " has to name its layers",
            example: f + "[flows.f]\nchildren = 'layers'"),
        OnlyChecked(
            why: "two layers of a list have one name", message: "' is given twice", isSometimesSeen: true,
            example: f + "[flows.f]\nchildren = 'layers'\nlayers = ['x', { name = 'x' }]"),
        OnlyChecked(
            why: "whether a name is that of a screen is declared elsewhere", message: "' is a screen",
            example: rule("{ hide = 's' }")),
        OnlyChecked(
            why: "two values in different tables are the same", message: " is taken by the ",
            example: "[flows.f]\n[[autostart]]\nflow = 'f'\nid = 'x'\n[[autostart]]\nflow = 'f'\nid = 'x'"),
        OnlyChecked(
            why: "two roots are of the same flow", message: " is unique, and the autostart in ",
            example: "[flows.f]\nunique = true\n[[autostart]]\nflow = 'f'\n[[autostart]]\nflow = 'f'"),
        OnlyChecked(
            why: "whether a flow is unique stands elsewhere", message: " can't have a root on each output",
            example: "[flows.f]\nunique = true\n[[autostart]]\nflow = 'f'\nper = 'output'"),
        OnlyChecked(
            why: "sums of the lengths of names", message: " bytes: give a shorter 'id'",
            example: "[flows.f]\n[[autostart]]\nflow = 'f'\nper = 'output'\nid = '\(String(repeating: "x", count: 41))'"
        ),
        OnlyChecked(
            why: "whether an output is private stands elsewhere",
            message: " is private, and everyone can read the output",
            example: "[private]\nsteps = ['go']\n" + rule("{ move = '$m' }")),
        OnlyChecked(
            why: "what a presentable answers is declared elsewhere", message: " declares no 'result'",
            example: rule("{ screen = 's', onResult = { step = 'rest' } }")),
        OnlyChecked(
            why: "the place in a list counts", message: "this is never reached",
            example: rule("[{ none = true }, { none = true, when = { n = 1 } }]")),
        OnlyChecked(
            why: "steps set each other off", message: " set each other off for ever",
            example: f + "[flows.f.on]\nrest = { current = 'rest' }"),
        OnlyChecked(
            why: "sums of bytes", message: "the arguments take ",
            example: f + "[screens.t]\narguments = { m = 'string' }\n[flows.f.on]\nrest = { screen = 't', arguments = "
                + "{ m = '\(String(repeating: "x", count: 66_000))' } }"),
        OnlyChecked(
            why: "which arguments a text can have is declared elsewhere", message: "}' refers to nothing (",
            example: "[screens]\ns = { title = '${n}' }"),
        OnlyChecked(
            why: "bytes of a text are not its characters", message: " bytes; it can have at most ",
            isSometimesSeen: true,
            example: "[screens]\ns = { title = '\(String(repeating: "ä", count: 200))' }"),
        OnlyChecked(
            why: "sums of bytes of a context", message: "the values of the context take ",
            example: "[context]\na = { type = 'string', initial = '\(String(repeating: "x", count: 5_000))' }"),
        OnlyChecked(
            why: "types of other tables", message: "; values of one name have one type",
            example:
                "[context]\na = { type = 'byte', initial = 1 }\n[flows.f.context]\na = { type = 'bool', initial = true }"
        ),
        OnlyChecked(
            why: "the keys of a step are arguments and texts", message: " arguments; at most ", isSometimesSeen: true,
            example: "[steps]\na = { " + (0...64).map { "a\($0) = 'byte'" }.joined(separator: ", ") + " }"),
        OnlyChecked(
            why: "sums of times", message: "is too short; it has to be at least 10ms",
            example: f + "[flows.f]\nidle = { after = '9ms', step = 'rest' }"),
        OnlyChecked(
            why: "the same of a timer", message: "is too short; it has to be at least 1s",
            example: f + "[flows.f]\ntimers = [{ every = '999ms', step = 'rest' }]"),
        OnlyChecked(
            why: "the type stands elsewhere", message: ", and a time is a text, such as '5min'",
            example: "[context]\nt = { type = 'byte', initial = 1 }\n" + f
                + "[flows.f]\nidle = { after = '$context.t', step = 'rest' }"),
        OnlyChecked(
            why: "so does the value", message: " of the context is a time, or 'never'",
            example: "[context]\nt = { type = 'string', initial = 'x' }\n" + f
                + "[flows.f]\nidle = { after = '$context.t', step = 'rest' }"),
        OnlyChecked(
            why: "large sums of times", message: "is too long; at most ",
            pattern: { $0.firstMatch(of: /^'[^']*[0-9] *(months?|years?|M|y)\b/) == nil },
            example: f + "[flows.f]\nidle = { after = '29d 24h 1s', step = 'rest' }"),
        OnlyChecked(
            why: "a signature's brackets have to match, which no regular expression tells", message: " is no type; ",
            pattern: {
                $0.firstMatch(of: /^'a{0,8}[({][ybnqiuxtdsogva(){}]+[)}]\??'/) != nil
                    && $0.firstMatch(of: /^'[^']*(\{[^ybnqiuxtdsog]|[^a]\{|\(\))/) == nil
            },
            example: "[steps]\ngo = { n = '((i)' }"),
    ]
}
