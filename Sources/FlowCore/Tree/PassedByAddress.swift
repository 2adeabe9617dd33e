/// Makes a large struct that has it as a member be passed by its address.
///
/// To call a function that only reads a struct, the compiler may load the whole of it and store it on the stack, which is most
/// of the time of such calls. It never loads a value whose size it does not know, such as that of a protocol type.
struct PassedByAddress: Sendable {
    private let nothing: (any Sendable)? = nil
}
