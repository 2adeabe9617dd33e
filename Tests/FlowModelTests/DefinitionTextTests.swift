import FlowCore
import FlowFile
import Testing

/// Random definitions as a text.
@Suite("Random definitions as text")
struct DefinitionTextTests {
    @Test(arguments: 0..<20)
    func `what was written is read as the same definitions, unless no file may say it`(round: UInt64) throws {
        var read = 0
        for seed in round * 50..<(round + 1) * 50 {
            var generator = DefinitionGenerator(seed: seed, isWild: seed.isMultiple(of: 4))
            let definitions = generator.make()
            let text = try definitions.fileText(hidesPrivateValues: false)
            do throws(DefinitionFailure) {
                let same = try DefinitionFiles.definitions(in: text)
                #expect(same == definitions, "seed \(seed): \(text)")
                read += 1
            } catch {
                // The model knows arguments that do not fit, and alternatives that are never reached. Syntax is right.
                #expect(!error.diagnostics.contains { $0.message.contains("parsing") }, "seed \(seed): \(error)")
            }
        }
        #expect(read > 0)
    }
}
