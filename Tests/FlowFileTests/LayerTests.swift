import FlowCore
import Testing

@testable import FlowFile

/// Layers in definition files (S-37).
@Suite("Layers")
struct LayerTests {
    /// The layers of flow `device` are on line 10, the rule of `go` is on line 14.
    private static func text(
        _ layers: String = "layers = ['apps', { name = 'banner', covers = false }, 'lock']",
        go: String = "[{ flow = 'home' }, { flow = 'note', layer = 'banner' }, { flow = 'lock', layer = 'lock' }]",
        children: String = "layers", emitters: String = "emitters = ['com.vendor.Lock']",
        empty: String = "whenEmpty = 'go'", again: String = ", onDismissed = { step = 'go' }"
    ) -> String {
        """
        [steps]
        go = {}
        [screens]
        page = {}
        [[autostart]]
        flow = 'device'
        [flows.device]
        initial = 'go'
        children = '\(children)'
        \(layers)
        # Nothing.
        # Nothing.
        [flows.device.on]
        go = \(go)
        [flows.home]
        \(empty)
        [flows.home.on]
        go = { screen = 'page' }
        [flows.note]
        whenEmpty = 'go'
        emitters = ['com.vendor.Note']
        [flows.note.on]
        go = { screen = 'page' }
        [flows.lock]
        whenEmpty = 'stay'
        \(emitters)
        [flows.lock.on]
        go = { screen = 'page'\(again) }
        """
    }

    @Test func `S-37 layers are names, or tables with covers`() throws {
        let definitions = try definitions(Self.text())
        let flow = definitions[try #require(definitions.flow(named: "device"))]
        #expect(flow.children == .layers)
        #expect(flow.layers == [Layer("apps"), Layer("banner", covers: false), Layer("lock")])
        let layers = flow.rules[0].alternatives[0].contributors.map { contributor -> String? in
            if case .child(let child) = contributor { child.layer } else { nil }
        }
        #expect(layers == [nil, "banner", "lock"])
        #expect(try DefinitionFiles.definitions(in: definitions.fileText(hidesPrivateValues: false)) == definitions)
    }

    @Test(arguments: [
        ("", ".children", "has to name its layers"), ("layers = []", ".layers", "the list is empty"),
        ("layers = 'apps'", ".layers", "a list of layers"), ("layers = [1]", ".layers[1]", "the name of a layer"),
        ("layers = ['a b']", ".layers[1]", "'a b' can't be the name of a layer"),
        ("layers = ['x', 'x']", ".layers[2]", "given twice"),
        ("layers = [{ covers = true }]", ".layers[1]", "has to have a name"),
        ("layers = [{ name = 'x', cover = true }]", ".layers[1].cover", "did you mean 'covers'?"),
        ("layers = [{ name = 'x', covers = 1 }]", ".layers[1].covers", "true or false"),
    ])
    func `S-37 a mistake in layers is one error`(layers: String, place: String, words: String) {
        let found = errors(Self.text(layers, go: "{ flow = 'home' }"))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains("[flows.device\(place)]") == true && found.first?.contains(words) == true)
    }

    @Test(arguments: [
        ("{ screen = 'page' }", ".screen", "children of layers are flows"),
        ("{ flow = 'lock', layer = 'lok' }", ".layer", "did you mean 'lock'?"),
        ("{ flow = 'lock', layer = true }", ".layer", "the name of a layer"),
        ("{ flow = 'lock', reuse = 'raise' }", ".reuse", "comes to the front"),
        ("{ hide = 'page' }", ".hide", "'page' is a screen"), ("{ show = 'page' }", ".show", "'page' is a screen"),
    ])
    func `S-37 a mistake in a contributor of layers is one error`(rule: String, place: String, words: String) {
        let found = errors(Self.text(go: rule))
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains("[flows.device.on.go\(place)]") == true && found.first?.contains(words) == true)
    }

    @Test func `S-36 S-37 a child of layers has to say what happens when it is empty`() {
        let found = errors(Self.text(empty: ""))
        #expect(
            found.count == 1 && found.first?.contains("[flows.home] flow 'home' stands in a layer") == true, "\(found)")
    }

    @Test func `S-37 layers and layer are for children in layers`() {
        let layers = errors(Self.text(go: "{ flow = 'home' }", children: "tabs"))
        #expect(layers.count == 1 && layers.first?.contains("[flows.device.layers]") == true)
        let layer = errors(Self.text("", go: "{ flow = 'lock', layer = 'lock' }", children: "stack"))
        #expect(layer.count == 1 && layer.first?.contains("[flows.device.on.go.layer]") == true)
    }

    @Test func `S-37 a layer that nothing contributes to is a warning`() throws {
        let found = try warnings(Self.text(go: "[{ flow = 'home' }, { flow = 'lock', layer = 'lock' }]"))
        #expect(found.contains { $0.contains("[flows.device.layers[2]]") && $0.contains("'banner'") }, "\(found)")
        #expect(try warnings(Self.text()).isEmpty)
    }

    @Test(arguments: [
        ("org.flowbus.Lock1", ["apps", "lock", "call"], ["call"]),
        ("org.flowbus.Lock1", ["lock", "apps", "call"], ["apps", "call"]),
        ("org.flowbus.Lock1", ["apps", "call", "lock"], []), ("com.vendor.Lock", ["apps", "lock", "call"], []),
    ])
    func `S-37 a layer above a lock of flowbus-lock is a warning`(presenter: String, layers: [String], above: [String])
        throws
    {
        let text = """
            [steps]
            go = {}
            [screens]
            page = { presenter = 'com.vendor.Page' }
            keypad = { presenter = '\(presenter)' }
            [[autostart]]
            flow = 'device'
            [flows.device]
            initial = 'go'
            children = 'layers'
            layers = [\(layers.map { "'\($0)'" }.joined(separator: ", "))]
            [flows.device.on]
            go = [{ flow = 'home', layer = 'apps' }, { flow = 'lock', layer = 'lock' }, { flow = 'talk', layer = 'call' }]
            [flows.home]
            whenEmpty = 'go'
            emitters = ['com.vendor.Page']
            [flows.home.on]
            go = { screen = 'page' }
            [flows.talk]
            whenEmpty = 'go'
            emitters = ['com.vendor.Page']
            [flows.talk.on]
            go = { screen = 'page' }
            [flows.lock]
            whenEmpty = 'go'
            emitters = ['com.vendor.Lock']
            [flows.lock.on]
            go = { flow = 'asking' }
            [flows.asking]
            [flows.asking.on]
            go = { screen = 'keypad' }
            """
        let found = try warnings(text)
        #expect(found.count == above.count, "\(found)")
        for (warning, layer) in zip(found, above) {
            #expect(warning.contains("the layer '\(layer)' of flow 'device' is above the lock 'keypad'"))
        }
    }

    @Test(arguments: [
        ("", "takes the flow's 'initial' step again, but it has none"),
        ("initial = 'open'", "but its step 'open' needs the argument 'item', and nothing gives it then"),
    ])
    func `S-48 a flow that can't begin again is an error`(initial: String, text: String) throws {
        let found = errors("[steps]\nopen = { item = 'int64' }\n[flows.a]\nwhenEmpty = 'again'\n\(initial)")
        #expect(found.contains { $0.contains(text) }, "\(found)")
    }

    @Test func `S-48 a root that stays empty is a warning`() throws {
        let text = """
            [steps]
            begin = {}
            [screens]
            home = {}
            [[autostart]]
            flow = 'a'
            [flows.a]
            initial   = 'begin'
            children  = 'stack'
            whenEmpty = 'stay'
            on.begin  = { screen = 'home' }
            """
        #expect(try warnings(text).contains { $0.contains("the root 'a' stays when it is empty") })
        #expect(try warnings(text.replacing("'stay'", with: "'again'")).isEmpty)
    }

    @Test func `S-36 a flow that stays empty and covers others is a warning`() throws {
        let found = try warnings(Self.text(again: ""))
        #expect(found.count == 1 && found.first?.contains("[flows.lock.whenEmpty]") == true, "\(found)")
        // What a stack begins with covers nothing.
        let first = try warnings(Self.text("", go: "{ flow = 'home' }", children: "stack", empty: "whenEmpty = 'stay'"))
        #expect(!first.contains { $0.contains("whenEmpty") }, "\(first)")
    }

    @Test(arguments: ["", "emitters = ['com.vendor.Lock']"])
    func `S-43 a flow of an upper layer without a bus name in emitters is a warning`(emitters: String) throws {
        let found = try warnings(Self.text(emitters: emitters))
        #expect(
            found.contains { $0.contains("[flows.lock]") && $0.contains("any client can dismiss") } == emitters.isEmpty)
    }
}
