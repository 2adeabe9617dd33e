import Glibc

/// The result of a node enumerator, sd_bus_add_node_enumerator(3): a malloc'ed, NULL-terminated array of malloc'ed
/// object paths, which sd-bus frees.
///
/// ```swift
/// var nodes = NodeList()
/// nodes.append(path)
/// return nodes.finish(into: result)
/// ```
public struct NodeList: ~Copyable {
    /// What an enumerator is given to put its result into (`char ***`).
    public typealias Result = UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>

    private var nodes: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    private var count = 0
    private var capacity = 0
    private var isOutOfMemory = false

    /// No nodes; nothing is allocated before the first.
    public init() {}

    deinit {
        // Only what was never handed over: finish(into:) leaves nil here.
        for index in 0..<count { free(nodes?[index]) }
        free(nodes)
    }

    /// A copy of one more object path. A failed allocation is reported by ``finish(into:)``.
    public mutating func append(_ path: UnsafePointer<CChar>) {
        guard reserve(count + 1), let nodes, let copy = strdup(path) else {
            isOutOfMemory = true
            return
        }
        nodes[count] = copy
        count += 1
        nodes[count] = nil
    }

    /// Hands the array over to sd-bus; an empty list is none at all.
    ///
    /// - Returns: what the enumerator shall return, 0 or a negative errno.
    public mutating func finish(into result: Result?) -> Int32 {
        guard !isOutOfMemory else { return -ENOMEM }
        result?.pointee = nodes
        if result != nil {
            nodes = nil
            count = 0
            capacity = 0
        }
        return 0
    }

    /// The whole answer of an enumerator from an array of object paths.
    public static func fill(_ result: Result?, with paths: [String]) -> Int32 {
        var list = NodeList()
        for path in paths { path.withCString { list.append($0) } }
        return list.finish(into: result)
    }

    /// Room for that many and the NULL behind them.
    private mutating func reserve(_ wanted: Int) -> Bool {
        guard wanted >= capacity else { return true }
        let larger = max(16, capacity * 2)
        let size = larger * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
        guard let grown = realloc(nodes, size) else { return false }
        nodes = grown.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        capacity = larger
        return true
    }
}
