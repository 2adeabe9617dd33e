import ArgumentParser
import FlowCore
import Platform

/// Commands that are programs of their own, `flowbusctl-NAME`, as those of git: other packages bring them.
enum CommandPrograms {
    private static let prefix = "flowbusctl-"

    /// The names of those that are installed, and are no command of flowbusctl itself.
    static var names: [String] {
        Programs.names(beginningWith: prefix).map { String($0.dropFirst(prefix.count)) }
            .filter { !Flowbusctl.commandNames.contains($0) }
    }

    /// Runs the program that the first word names, if there is one; `help NAME` asks it for its help. Options before the word
    /// are those of flowbusctl, which the program need not have.
    static func run(_ words: [String]) throws(Failure) {
        var words = words
        if words.count == 2, words[0] == "help" { words = [words[1], "--help"] }
        guard let name = words.first, !name.hasPrefix("-"), !Flowbusctl.commandNames.contains(name),
            let path = Programs.path(of: prefix + name)
        else { return }
        do throws(SystemError) {
            try Programs.become(path, Array(words.dropFirst()))
        } catch {
            throw Failure(.unavailable, "'\(Names.escaped(path))' can't be run: \(error.reason)")
        }
    }

    /// The part of the help that lists them.
    static var help: String {
        let names = names
        return names.isEmpty
            ? "" : "\n\nPROGRAMS (flowbusctl-NAME):\n" + names.map { "  \($0)" }.joined(separator: "\n")
    }

    /// A completion script that offers them, too: those in `PATH` when one completes.
    static func extending(_ script: String, for shell: CompletionShell) -> String {
        switch shell {
        case .bash:
            script + """


                _flowbusctl_with_programs() {
                    _flowbusctl "${@}"
                    if [[ "${COMP_CWORD}" -eq 1 ]]; then
                        local program
                        while IFS='' read -r program; do
                            COMPREPLY+=("${program#\(prefix)}")
                        done < <(compgen -c -- "\(prefix)${2}" | sort -u)
                    fi
                }
                complete -o filenames -F _flowbusctl_with_programs flowbusctl
                """
        case .zsh:
            script.replacing(
                "local -ar subcommands=(\n",
                with: "local -ar subcommands=(\n                ${${(k)commands[(I)\(prefix)*]}#\(prefix)}\n",
                maxReplacements: 1)
        case .fish:
            script + """

                complete -c 'flowbusctl' -n '__fish_use_subcommand' -fa '(complete -C \(prefix) | string replace -r "^\(prefix)(\\\\S+).*" "\\$1")'
                """
        default: script
        }
    }
}
