import BusTestSupport
import FlowCore
import Foundation
import Testing

@testable import FlowFile

/// The files of `flowbusctl act`: `flowbus.act(5)`.
@Suite("Act files")
struct ActFileTests {
    /// Reads a valid text, which the schema takes, too.
    private func act(_ text: String) throws -> ActFile {
        #expect(try SchemaValidator.shared.get().errors(ofAct: "version = 1\n" + text) == [])
        return try ActFile.check("a.toml", .success("version = 1\n" + text))
    }

    private func errors(_ text: String, version: String = "version = 1\n") -> [String] {
        do throws(DefinitionFailure) {
            _ = try ActFile.check("a.toml", .success(version + text))
            return []
        } catch {
            return error.diagnostics.map(\.description)
        }
    }

    private let definitions = """
        [steps]
        start = {}
        paid  = { cents = "uint32", tags = "as?" }
        [screens]
        list   = {}
        detail = { presenter = "com.x.Shop", result = { contact = "int64" } }
        pay    = { presenter = { name = "com.x.Pay", path = "/pay" } }
        map    = { application = "com.x.Map" }
        [flows.shop]
        initial = "start"
        guard   = { name = "com.x.Auth", steps = ["paid"] }
        [flows.shop.on]
        start = [{ screen = "list" }, { screen = "detail" }, { screen = "pay" }, { screen = "map" }]
        paid  = { flow = "wizard" }
        [flows.wizard]
        navigator = { name = "com.x.Wizard", steps = ["start"] }
        """

    private func warnings(_ text: String) throws -> [String] {
        try act(text).warnings(for: FlowFileTests.definitions(definitions)).map(\.description)
    }

    // MARK: What is read

    @Test func `a program without keys shows its screens at once, and has the usual path`() throws {
        let program = try #require(try act("[programs.\"com.x.Shop-Ui\"]").programs.first)
        #expect(program.name == "com.x.Shop-Ui" && program.paths == ["/com/x/Shop_Ui"])
        #expect(program.screens.isEmpty && !program.isOptional && !program.plays(screen: "list"))
        let screen = ActFile.Screen()
        #expect(screen.actions == [ActFile.Action(.show(true))] && screen.answer == .success && screen.after == nil)
        #expect(screen.onEvict == [ActFile.Action(.release)] && screen.onReturn.isEmpty && screen.onUpdate.isEmpty)
    }

    @Test func `every action`() throws {
        let program = try #require(
            try act(
                """
                [programs."com.x.Shop"]
                paths = ["/a", "/b"]
                [programs."com.x.Shop".screens.detail]
                onReturn = { touch = true }
                do = [
                    { show = false }, { after = "1min 30s", emit = "paid", arguments = { cents = 450, who = "$name", text = "$$x" } },
                    { finish = { contact = 7 } }, { dismiss = true }, { release = true }, { back = true }, { save = {} },
                    { after = { presented = true }, title = "Item" }, { crash = true }, { crash = true, restart = "5s" },
                    { crash = true, restart = false }, { after = { step = "paid" }, freeze = true }, { freeze = "10ms" },
                ]
                """
            ).programs.first)
        #expect(program.paths == ["/a", "/b"] && program.plays(screen: "detail"))
        let screen = try #require(program.screens["detail"]?.turn(0))
        let emission: [ActFile.Given] = [
            .init(name: "cents", source: .literal(.integer(450))), .init(name: "who", source: .reference("name")),
            .init(name: "text", source: .literal(.string("$x"))),
        ]
        #expect(
            screen.actions.map(\.verb) == [
                .show(false), .emit("paid", emission), .finish([.init(name: "contact", source: .literal(.integer(7)))]),
                .dismiss, .release, .back, .save([]), .title(.init(name: "title", source: .literal(.string("Item")))),
                .crash(.atOnce), .crash(.after(5_000_000)), .crash(.never), .freeze(nil), .freeze(10_000),
            ])
        #expect(screen.actions.compactMap(\.after) == [.time(90_000_000), .presented, .step("paid")])
        #expect(screen.onReturn == [ActFile.Action(.touch)])
    }

    @Test func `a list has an entry for each call, and the last one is for all further ones`() throws {
        let text = """
            [programs."com.x.Pay".screens]
            pay = [{ fail = "busy" }, { fail = { error = "com.x.Error.NoCard", text = "no card" } }, { hang = true }, { after = "70s" }]
            """
        let turns = try #require(try act(text).programs.first?.screens["pay"])
        let answers: [ActFile.Answer] = [
            .failure(.init(error: "org.freedesktop.DBus.Error.Failed", text: "busy")),
            .failure(.init(error: "com.x.Error.NoCard", text: "no card")), .none, .success, .success,
        ]
        #expect(answers.indices.map { turns.turn($0)?.answer } == answers)
        #expect(turns.turn(9)?.after == .time(70_000_000))
    }

    @Test func `guards and navigators`() throws {
        let program = try #require(
            try act(
                """
                [programs."com.x.Auth".guard]
                paid = [{ emit = { step = "pinAsked", arguments = { why = "$cents" } }, after = { step = "pinEntered" } }, { reject = "no" }]
                left = { replace = "paid", arguments = { cents = 1 } }
                gone = { hang = true }
                [programs."com.x.Auth".navigator]
                start = { after = "1s", screen = "list", style = "modal", reuse = "raise", onDismissed = { step = "gone", arguments = { why = "$reason" } } }
                paid  = [{ flow = "wizard", layer = "top", clear = true, stepArguments = { a = 1 } }, { parent = "left" }]
                left  = { do = [] }
                gone  = { unhandled = true }
                done  = { end = true, result = { contact = "$contact" } }
                """
            ).programs.first)
        let paid = try #require(program.adaptations["paid"])
        #expect(paid.turn(0)?.answer == .pass && paid.turn(0)?.after == .step("pinEntered"))
        #expect(paid.turn(0)?.emission?.step == "pinAsked")
        #expect(paid.turn(1)?.answer == .rejection("no") && paid.turn(5)?.answer == .rejection("no"))
        let replacement = ActFile.Given(name: "cents", source: .literal(.integer(1)))
        #expect(program.adaptations["left"]?.turn(0)?.answer == .replacement("paid", [replacement]))
        #expect(program.adaptations["gone"]?.turn(0)?.answer == ActFile.Adaptation.Kind.none)

        func contributors(_ step: String) -> [String] {
            guard case .contributors(let all) = program.navigations[step]?.answer else { return ["none"] }
            return all.map { contributor in
                let options = contributor.options.map { option in
                    switch option {
                    case .value(let name, let value): "\(name)=\(value)"
                    case .arguments(let name, let givens): "\(name)(\(givens.map(\.name).joined(separator: ",")))"
                    }
                }
                return ([contributor.kind, contributor.name] + options).joined(separator: " ")
            }
        }
        #expect(program.navigations["start"]?.after == .time(1_000_000))
        #expect(
            contributors("start") == [
                "screen list style=modal reuse=raise onDismissed=[arguments: [why: $reason], step: gone]"
            ])
        #expect(contributors("paid") == ["flow wizard stepArguments(a) clear=true layer=top", "parent left"])
        #expect(contributors("left") == [] && contributors("done") == ["end  result(contact)"])
        guard case .unhandled = program.navigations["gone"]?.answer else {
            Issue.record("it takes the step")
            return
        }
    }

    @Test func `values have the declared type if it is known, and refer to arguments`() throws {
        let list = ActFile.Given(name: "r", source: .literal(.list([.integer(1), .string("a")])))
        #expect(list.value(as: ValueType(signature: "(ys)"), from: []) == .structure([.byte(1), .string("a")]))
        #expect(list.value(as: nil, from: [])?.signature == "av")
        // What does not fit goes as it is, so that the service refuses it.
        #expect(list.value(as: ValueType(signature: "u"), from: [])?.signature == "av")
        let reference = ActFile.Given(name: "r", source: .reference("item"))
        #expect(reference.value(as: nil, from: [Argument("item", .int64(7))]) == .int64(7))
        #expect(reference.value(as: nil, from: []) == nil)
    }

    // MARK: What is wrong

    @Test(
        arguments: [
            ("", "a.toml: error: the file plays nothing; it has to have a table such as"),
            ("x = 1\n[screens]", "a.toml:2: error: [x] an act file has no key 'x'; it has the keys"),
            ("programs = 1", "[programs] this is an integer; it has to be a table of programs"),
            ("[programs.shop]", "a.toml:2: error: [programs.shop] 'shop' can't be a well-known bus name"),
            ("[programs.\":1.5\"]", "':1.5' is the unique name of one connection"),
            ("[programs.\"a.b\"]\nscreen = {}", "a program has no key 'screen'; did you mean 'screens'?"),
            (
                "[programs.\"a.b\"]\npaths = []",
                "[programs.\"a.b\".paths] the list is empty; leave 'paths' out for '/a/b'"
            ),
            ("[programs.\"a.b\"]\npaths = [\"a\"]", "[programs.\"a.b\".paths[1]] 'a' can't be the path of an object"),
            ("[programs.\"a.b\"]\npaths = [\"/org/freedesktop/DBus/Local\"]", "can't be the path of an object"),
            ("[screens]\n\"a-b\" = {}", "'a-b' can't be the name of a screen"),
            ("[screens]\na = 1", "this is an integer; it has to be a table, or a list of tables, one for each call"),
            ("[screens]\na = []", "[screens.a] the list is empty; it has to have a table for each call"),
            ("[screens]\na = { fail = \"x\" }", "a screen without a presenter has no key 'fail'; it has the keys 'do'"),
            ("[screens]\na = { do = { shw = true } }", "an action has no key 'shw'; did you mean 'show'?"),
            ("[screens]\na = { do = { show = 1 } }", "this is an integer; it has to be true or false"),
            (
                "[screens]\na = { do = 1 }",
                "this is an integer; it has to be a list of actions, such as [{ show = true }]"
            ),
            ("[screens]\na = { do = [1] }", "this is an integer; it has to be an action, such as { show = true }"),
            (
                "[screens]\na = { do = { show = true, back = true } }",
                "'show' and 'back' are given; an action has exactly one"
            ),
            ("[screens]\na = { do = {} }", "the table has none of the keys 'show', 'emit', "),
            (
                "[screens]\na = { do = { back = false } }",
                "[screens.a.do.back] this is false; it has to be true, or be left out"
            ),
            ("[screens]\na = { do = { emit = \"9\" } }", "'9' can't be the name of a step"),
            (
                "[screens]\na = { do = { show = true, arguments = {} } }",
                "'arguments' belongs to 'emit', and this action has 'show'"
            ),
            (
                "[screens]\na = { do = { show = true, restart = true } }",
                "'restart' belongs to 'crash', and this action has 'show'"
            ),
            (
                "[screens]\na = { do = { crash = true, restart = 5 } }",
                "it has to be true, false, or a time span such as '5s'"
            ),
            (
                "[screens]\na = { do = { freeze = 5 } }",
                "this is an integer; it has to be true, or a time span such as '5s'"
            ),
            ("[screens]\na = { do = { freeze = \"5\" } }", "the number '5' has no unit"),
            (
                "[screens]\na = { do = { after = 5, show = true } }",
                "it has to be a time span, such as '500ms', or { step = \"NAME\" }"
            ),
            (
                "[screens]\na = { do = { after = {}, show = true } }",
                "the table has none of the keys 'step' or 'presented'"
            ),
            (
                "[screens]\na = { do = { after = { setp = \"x\" }, show = true } }",
                "the table 'after' has no key 'setp'; did you mean"
            ),
            (
                "[screens]\na = { do = { title = \"$\" } }",
                "'$' is no reference; it has to be '$NAME', or for the text itself '$$'"
            ),
            ("[screens]\na = { do = { save = { a = 2026-01-01 } } }", "D-Bus has no type for that, write a string"),
            ("[screens]\na = { do = { save = { a-b = 1 } } }", "'a-b' can't be the name of an argument"),
            (
                "[programs.\"a.b\".screens]\na = { hang = true, after = \"1s\" }",
                "'after' is not possible beside 'hang'"
            ),
            ("[programs.\"a.b\".screens]\na = { hang = true, fail = \"\" }", "'fail' and 'hang' are given"),
            ("[programs.\"a.b\".screens]\na = { fail = \"\", do = [] }", "'do' is not possible beside 'fail'"),
            (
                "[programs.\"a.b\".screens]\na = { fail = { error = \"no\" } }",
                "'no' can't be the name of a D-Bus error"
            ),
            (
                "[programs.\"a.b\".screens]\na = { fail = { txt = \"no\" } }",
                "the table 'fail' has no key 'txt'; did you mean 'text'?"
            ),
            ("[programs.\"a.b\".screens]\na = { fail = 1 }", "it has to be the text of the error, or a table"),
            (
                "[programs.\"a.b\".screens]\na = { after = { presented = true } }",
                "the table 'after' has no key 'presented'"
            ),
            ("[programs.\"a.b\"]\napplication = { do = { show = true } }", "an action has no key 'show'"),
            ("[programs.\"a.b\"]\napplication = { onReturn = [] }", "the table 'application' has no key 'onReturn'"),
            (
                "[programs.\"a.b\".guard]\na = { pass = true, reject = \"\" }",
                "'pass' and 'reject' are given; a guard has one answer"
            ),
            (
                "[programs.\"a.b\".guard]\na = { rejekt = \"\" }",
                "an answer of a guard has no key 'rejekt'; did you mean 'reject'?"
            ),
            ("[programs.\"a.b\".guard]\na = { pass = true, arguments = {} }", "'arguments' belongs to 'replace'"),
            ("[programs.\"a.b\".guard]\na = { emit = {} }", "'emit' has to name its step: step = \"NAME\""),
            ("[programs.\"a.b\".guard]\n\"9\" = {}", "'9' can't be the name of a step"),
            (
                "[programs.\"a.b\".navigator]\na = {}",
                "the table has none of its keys; a contributor has exactly one of"
            ),
            (
                "[programs.\"a.b\".navigator]\na = { scren = \"x\" }",
                "a contributor has no key 'scren'; did you mean 'screen'?"
            ),
            (
                "[programs.\"a.b\".navigator]\na = { pop = \"x\", id = \"y\" }",
                "a contributor with 'pop' has no key 'id'"
            ),
            (
                "[programs.\"a.b\".navigator]\na = [{ screen = \"x\", onResult = {} }]",
                "'onResult' has to name its step"
            ),
            (
                "[programs.\"a.b\".navigator]\na = { do = [], hang = true }",
                "'do' and 'hang' are given; a navigator has one answer"
            ),
            (
                "[programs.\"a.b\".navigator]\na = 1",
                "it has to be a contributor, such as { screen = \"NAME\" }, or a list of them"
            ),
        ])
    func `one mistake is one error`(text: String, message: String) throws {
        let found = errors(text)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
        // Of these no schema knows.
        let isOnlyChecked = ["is no reference", "D-Bus has no type", "contributor with 'pop'"].contains(
            where: message.contains)
        let refused = try SchemaValidator.shared.get().errors(ofAct: "version = 1\n" + text)
        #expect(refused.isEmpty == isOnlyChecked, "\(refused)")
    }

    @Test func `the version and the syntax are those of definition files`() {
        #expect(
            errors("[screens]", version: "") == [
                "a.toml: error: the file has no version; 'version = 1' has to precede all tables"
            ])
        #expect(
            errors("[screens]", version: "version = 2\n").first?.contains("version '2' of the format is not known")
                == true)
        #expect(
            errors("[screens\n") == ["a.toml:2:9: error: expected ']' after the table's name, saw the end of the line"])
    }

    @Test func `what is no file is named`() {
        do throws(DefinitionFailure) {
            _ = try ActFile.load("/dev/null")
            Issue.record("it was read")
        } catch {
            #expect(error.description == "/dev/null: error: this is a device; an act file has to be a regular file")
        }
    }

    // MARK: Definitions

    @Test func `a file that fits definitions leads to no warnings`() throws {
        let text = """
            [screens.list]
            do = [{ show = true }, { after = { step = "start" }, emit = "paid", arguments = { cents = 1, tags = ["a"] } }]
            [programs."com.x.Shop".screens.detail]
            do = { finish = { contact = "$contact" } }
            [programs."com.x.Pay"]
            paths = ["/pay"]
            [programs."com.x.Map"]
            application = {}
            [programs."com.x.Auth".guard]
            paid = { replace = "paid", arguments = { cents = "$cents" } }
            [programs."com.x.Wizard".navigator]
            start = [{ screen = "detail", onDismissed = { step = "start" } }, { flow = "shop", step = "start" }]
            """
        #expect(try warnings(text) == [])
    }

    @Test(
        arguments: [
            (
                "[screens.lsit]",
                "a.toml:2: warning: [screens.lsit] no definition declares a screen 'lsit'; did you mean 'list'?"
            ),
            ("[screens.detail]", "the presenter of the screen 'detail' is 'com.x.Shop'; it belongs to"),
            ("[screens.map]", "the screen 'map' is shown by an application, 'com.x.Map'"),
            (
                "[programs.\"com.x.Shpo\"]",
                "no definition has a presenter, guard or navigator 'com.x.Shpo'; did you mean 'com.x.Shop'?"
            ),
            (
                "[programs.\"com.x.Pay\"]",
                "the definitions have an object '/pay' of 'com.x.Pay', and the program has '/com/x/Pay'"
            ),
            ("[screens.list]\ndo = { emit = \"piad\" }", "no definition declares a step 'piad'; did you mean 'paid'?"),
            ("[screens.list]\ndo = { emit = \"paid\" }", "the step 'paid' needs the argument 'cents' of type uint32"),
            (
                "[screens.list]\ndo = { emit = \"start\", arguments = { a = 1 } }",
                "the step 'start' has no argument 'a'; it takes none"
            ),
            (
                "[screens.list]\ndo = { emit = \"paid\", arguments = { cents = -1 } }",
                "'-1' is out of the range of the type uint32"
            ),
            ("[screens.list]\ndo = { finish = {} }", "the screen 'list' declares no 'result', so it can't be finished"),
            (
                "[programs.\"com.x.Shop\".screens.detail]\ndo = { finish = {} }",
                "the result of the screen 'detail' needs the argument"
            ),
            (
                "[programs.\"com.x.Auth\".guard]\nstart = {}",
                "no flow asks the guard 'com.x.Auth' about the step 'start'"
            ),
            (
                "[programs.\"com.x.Wizard\".navigator]\npaid = { none = true }",
                "no flow asks the navigator 'com.x.Wizard' about"
            ),
            (
                "[programs.\"com.x.Wizard\".navigator]\nstart = { flow = \"shp\" }",
                "declares a flow 'shp'; did you mean 'shop'?"
            ),
        ])
    func `what does not fit definitions is a warning`(text: String, message: String) throws {
        let found = try warnings(text)
        #expect(found.count == 1 && found.first?.contains(message) == true, "\(found)")
    }

    @Test func `definitions name the programs that can be played`() throws {
        let all = ActFile(playing: try FlowFileTests.definitions(definitions))
        #expect(all.programs.map(\.name) == [nil, "com.x.Shop", "com.x.Map", "com.x.Pay", "com.x.Auth"])
        #expect(all.programs.map(\.paths) == [["/"], ["/com/x/Shop"], ["/com/x/Map"], ["/pay"], ["/com/x/Auth"]])
        #expect(all.programs[0].plays(screen: "any") && !all.programs[1].plays(screen: "any"))
        #expect(all.programs[0].isOptional == false && all.programs[1].isOptional)

        let given = try act("[programs.\"com.x.Pay\".screens.pay]\nhang = true")
        let both = given.adding(all)
        #expect(both.programs.map(\.name) == ["com.x.Pay", nil, "com.x.Shop", "com.x.Map", "com.x.Auth"])
        #expect(both.programs[0].paths == ["/com/x/Pay", "/pay"] && both.programs[0].isOptional == false)
        #expect(both.programs[0].screens["pay"]?.turn(0)?.answer == ActFile.Answer.none)
    }

    @Test func `the manual documents every key`() throws {
        let here = (#filePath as NSString).deletingLastPathComponent
        let manual = try String(contentsOfFile: "\(here)/../../man/flowbus.act.5", encoding: .utf8)
        let words = Set(manual.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        let keys =
            ActReader.rootKeys + ActReader.programKeys + ActReader.screenKeys + ActReader.verbs
            + ActReader.adaptationKeys + ActReader.navigationKeys + ActReader.kinds.map(\.rawValue)
        for key in keys { #expect(words.contains(key), "\(key)") }
        // Its examples are valid.
        let examples = manual.components(separatedBy: ".Bd -literal").dropFirst()
        for example in examples {
            let text = example.components(separatedBy: ".Ed")[0].split(
                separator: "\n", omittingEmptySubsequences: false
            ).dropFirst()
            let toml = text.filter { $0 != "version = 1" }.joined(separator: "\n")
            #expect(errors(toml) == [], "\(toml)")
        }
        #expect(examples.count >= 7)
    }
}
