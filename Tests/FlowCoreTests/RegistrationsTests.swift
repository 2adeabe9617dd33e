import Testing

@testable import FlowCore

@Suite("Registrations")
struct RegistrationsTests {
    private let files: Definitions = {
        var builder = DefinitionsBuilder()
        builder.flow("main", on: ["go": []])
        return builder.definitions
    }()
    private let client = Client(":1.1")

    private func flow(_ name: String, step: String = "pay", by client: Client? = nil) -> Registration {
        Registration(
            name, at: Service("com.\(name)", path: "/navigator", timeout: 1_000_000),
            steps: [StepDeclaration(step)], by: client ?? self.client)
    }

    @Test func `S-32 the definitions are those of the files and of clients, in the order they came`() {
        var registrations = Registrations(files: files)
        #expect(registrations.definitions == files)
        registrations.register(flow("pay"))
        registrations.register(flow("till"))
        #expect(registrations.definitions.flows.map(\.name) == ["main", "pay", "till"])
        // Anew, it keeps its place.
        registrations.register(flow("pay", step: "cash"))
        #expect(registrations.all.map(\.flow) == ["pay", "till"])
        #expect(registrations["pay"]?.steps.map(\.name) == ["cash"])
        let removed = registrations.remove { $0.flow == "pay" }
        #expect(removed.map(\.flow) == ["pay"])
        #expect(registrations.definitions.flow(named: "pay") == nil)
    }

    @Test func `a definition in a file replaces a registered one`() {
        var registrations = Registrations(files: files)
        registrations.register(flow("pay"))
        registrations.register(flow("till"))
        var builder = DefinitionsBuilder()
        builder.flow("pay", on: ["go": []])
        let over = registrations.read(builder.definitions)
        #expect(over.map(\.flow) == ["pay"])
        #expect(registrations.definitions.flows.map(\.name) == ["pay", "till"])
    }

    @Test func `S-32 a name that is taken is refused, and one's own is not`() throws {
        var registrations = Registrations(files: files)
        let accounting = Accounting()
        registrations.register(flow("pay"))
        let definitions = registrations.definitions
        func code(_ candidate: Registration, inPlaceOf former: Registration? = nil) -> FlowError.Code? {
            do throws(FlowError) {
                try registrations.check(candidate, inPlaceOf: former, definitions, accounting)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(flow("main")) == .alreadyRegistered)
        #expect(code(flow("pay")) == .alreadyRegistered)
        #expect(code(flow("pay", step: "cash"), inPlaceOf: registrations["pay"]) == nil)
        #expect(code(flow("1")) == .invalidName)
        #expect(code(flow("till")) == nil)
    }

    @Test func `D-3 a registration keeps the number of its record, and says whether it was left behind`() throws {
        var registrations = Registrations(files: files)
        var watches = ClientWatches()
        watches.add(client)
        registrations.register(flow("pay"))
        registrations.register(flow("till"))
        let first = registrations.takeRecords(watches)
        #expect(first.map(\.key.number) == [1, 2])
        #expect(registrations.takeRecords(watches) == [])
        watches.remove(client)
        registrations.leave(["till"])
        let changed = registrations.takeRecords(watches)
        let record = try #require(changed.first)
        #expect(record.key.number == 2)
        let read = try RegistrationRecord(record.body ?? [])
        #expect(read.isLeft)
        _ = registrations.remove { $0.flow == "till" }
        #expect(registrations.takeRecords(watches) == [Record(RecordKey(.registration, 2), nil)])
        #expect(registrations.takeRecords(all: true, watches).map(\.key.number) == [1])
    }
}
