import FlowCore
import Testing

@testable import FlowFile

@Suite("Steppers")
struct StepperTests {
    private static let head = """
        [steps]
        go = { n = "byte", why = "string?" }
        bare = {}
        [flows.f]
        [flows.f.on]
        go = { none = true }
        bare = { none = true }

        """
    private static let property = """
        [[steppers]]
        flow = "f"
        name = "org.freedesktop.UPower"
        path = "/org/freedesktop/UPower"
        interface = "org.freedesktop.UPower"
        property = "OnBattery"

        """
    private static let signal = """
        [[steppers]]
        flow = "f"
        name = "org.freedesktop.UPower"
        interface = "org.freedesktop.UPower"
        signal = "Changed"

        """

    private func stepper(_ text: String) throws -> StepperDefinition {
        try #require(try definitions(Self.head + text).steppers.first)
    }

    @Test func `a property, with its arguments and those while it is absent`() throws {
        let stepper = try stepper(
            Self.property + "bus = 'system'\nstep = 'go'\narguments = { n = '$value', why = '$$x' }\n"
                + "absent = { n = 2 }\nstart = true")
        #expect(
            stepper
                == StepperDefinition(
                    FlowID(0), bus: .system, name: "org.freedesktop.UPower", object: .path("/org/freedesktop/UPower"),
                    interface: "org.freedesktop.UPower",
                    source: .property("OnBattery", absent: [Argument("n", .byte(2))]), step: StepID(1),
                    bindings: [.init("n", .value), .init("why", .literal(.string("$x")))], startsService: true))
    }

    @Test func `a signal, of every object or of one`() throws {
        let any = try stepper(Self.signal + "bus = 'session'\nstep = 'go'\narguments = { n = '$0', why = '$12' }")
        #expect(any.object == .any && any.bus == .session && !any.startsService)
        #expect(any.bindings.map(\.source) == [.argument(0), .argument(12)])
        #expect(try stepper(Self.signal + "step = 'bare'\npath = '/a'").object == .path("/a"))
    }

    @Test func `a path that a call answers`() throws {
        let usual = try stepper(
            Self.signal + "step = 'bare'\npath = { call = 'GetSession', arguments = ['auto', 1, true] }")
        #expect(
            usual.object
                == .answer(
                    .init(
                        "GetSession", arguments: [.string("auto"), .int64(1), .bool(true)],
                        object: "/org/freedesktop/UPower", interface: "org.freedesktop.UPower.Manager")))
        let typed = try stepper(
            Self.signal + "step = 'bare'\npath = { call = 'Get', signature = 'uav', arguments = [1, ['$x']], "
                + "object = '/a', of = 'a.b' }")
        #expect(
            typed.object
                == .answer(
                    .init(
                        "Get", arguments: [.uint32(1), .array(element: "v", [.variant(.string("$x"))])], object: "/a",
                        interface: "a.b")))
        let variant = try stepper(
            Self.signal + "step = 'bare'\npath = { call = 'Get', signature = 'v', arguments = [1] }")
        #expect(
            variant.object
                == .answer(
                    .init(
                        "Get", arguments: [.variant(.int64(1))], object: "/org/freedesktop/UPower",
                        interface: "org.freedesktop.UPower.Manager")))
    }

    @Test(arguments: [
        (property, "", "a stepper has to have 'step', such as step = \"NAME\""),
        (property + "step = 'bare'\nsignal = 'X'", ".signal", "'property' and 'signal' are given"),
        (
            "[[steppers]]\nflow = 'f'\nname = 'a.b'\ninterface = 'a.b'\nstep = 'bare'", "",
            "a stepper has to have 'property' or"
        ),
        (
            "[[steppers]]\nflow = 'f'\nname = 'a.b'\ninterface = 'a.b'\nstep = 'bare'\nproperty = 'X'", "",
            "a stepper for a property has to have 'path'"
        ),
        (property + "step = 'bare'\nbus = 'sytem'", ".bus", "'sytem' is no bus; it has to be 'system' or 'session'"),
        (property + "step = 'bare'\nbus = 'served'", ".bus", "'served' is no bus"),
        (property + "step = 'x'", ".step", "no file declares a step 'x'"),
        (property + "step = 'go'", ".arguments", "step 'go' needs the argument 'n' of type byte"),
        (
            property + "step = 'go'\narguments = { n = '$0' }", ".arguments.n",
            "'$0' stands for nothing here: it has to be '$value'"
        ),
        (
            signal + "step = 'go'\narguments = { n = '$value' }", ".arguments.n",
            "'$value' stands for nothing here: it has to be '$0'"
        ),
        (signal + "step = 'go'\narguments = { n = '$300' }", ".arguments.n", "'$300' stands for nothing here"),
        (signal + "step = 'go'\narguments = { n = 300 }", ".arguments.n", "the argument 'n' does not fit"),
        (signal + "step = 'bare'\nabsent = {}", ".absent", "'absent' belongs to a property"),
        (
            property + "step = 'go'\narguments = { n = 1 }\nabsent = { n = '$value' }", ".absent.n",
            "'$value' refers to an argument, but there is no value while the property can't be read"
        ),
        (
            property + "step = 'go'\narguments = { n = 1 }\nabsent = {}", ".absent",
            "step 'go' needs the argument 'n' of type byte"
        ),
        (signal + "step = 'bare'\npath = 'x'", ".path", "'x' is no object path"),
        (signal + "step = 'bare'\npath = {}", ".path", "'path' has to name the method"),
        (signal + "step = 'bare'\npath = { call = 'a.b' }", ".path.call", "'a.b' can't be the name of a method"),
        (
            signal + "step = 'bare'\npath = { call = 'A', of = 'b' }", ".path.of",
            "'b' can't be the name of an interface"
        ),
        (
            signal + "step = 'bare'\npath = { call = 'A', signature = 'ss', arguments = ['x'] }", ".path.signature",
            "'ss' is not the signature of the 1 arguments"
        ),
        (signal + "step = 'bare'\nstart = 1", ".start", "this is an integer; it has to be true or false"),
        (signal + "step = 'bare'\nstep2 = 1", ".step2", "a stepper has no key 'step2'"),
    ])
    func `one mistake is one error`(text: String, place: String, message: String) {
        let found = errors(Self.head + text)
        #expect(found.count == 1)
        #expect(found.first?.contains(": error: [steppers[1]\(place)] \(message)") == true, "\(found)")
    }

    @Test func `two that are the same`() {
        let one = Self.signal + "step = 'bare'\n"
        #expect(
            errors(Self.head + one + one)
                == ["a.toml:15: error: [steppers[2]] the stepper in a.toml:9 is the same; remove one of them"])
        #expect(errors(Self.head + one + one + "path = '/x'\n") == [])
    }

    @Test func `there is a limit`() {
        let all = (0...Limits.steppers).map { Self.signal + "step = 'bare'\npath = '/x\($0)'\n" }.joined()
        #expect(errors(Self.head + all).count == 1)
        #expect(errors(Self.head + all).first?.contains("there are 257 steppers; at most 256 are allowed") == true)
    }

    @Test func `a step that no rule takes is a warning`() throws {
        let text =
            "[steps]\na = {}\nb = {}\n[[autostart]]\nflow = 'f'\n[flows.f.on]\na = { none = true }\n"
            + "[flows.g]\nunique = true\n[flows.g.on]\nb = { none = true }\n" + Self.signal + "step = 'b'\n"
        #expect(
            try warnings(text).contains {
                $0.contains("[steppers[1].step] 'step' triggers the step 'b', which flow 'f' has no rule for")
            })
    }
}
