import Glibc

// Not `@main` with `async`: Dispatch would have the main thread.
do {
    exit(try EmbeddedLoop.run(CommandLine.arguments))
} catch {
    print("error \(error)")
    exit(1)
}
