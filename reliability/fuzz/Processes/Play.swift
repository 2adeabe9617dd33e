import FlowCore
public import Input

/// Plays a world of processes (`RandomProcesses` of the tests) as the input says: definitions, then events. After each event the
/// invariants are checked, now and then all is restored from its records; at the end all is removed, and nothing may be left.
public func playProcesses(_ input: Input) {
    Input.current = input
    let slices = Input.current.byte()
    let life = RandomProcesses(seed: Input.marker, sliceSize: slices < 64 ? 1 + Int(slices % 8) : .max)
    var count = 0
    while !Input.current.isOver && count < 300 {
        life.performRandomEvent()
        guard life.check() else { return }
        count += 1
    }
    life.endAll()
    guard life.check() else { return }
    _ = life.checkEnd()
}
