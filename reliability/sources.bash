# shellcheck shell=bash
# Functions that make a package of sources of this one; for `build` of simulation and fuzz.

# Copies a folder. Files that are the same keep their times, so that little is built again.
take() { # FROM TO [OPTION...]
    local from=$1 to=$2
    shift 2
    mkdir -p "$to"
    rsync --archive --checksum --delete "$@" -- "$from" "$to"
}

# Copies a file without what only the tests, or the service, need. What a test would record ends the program.
adapt() { # FILE FOLDER [EXPRESSION of sed]
    local to
    to=$2/$(basename -- "$1")
    sed -e '/^import Testing$/d' -e '/^import Foundation$/d' -e '/^@main$/d' -e 's/Issue\.record(/fatalError(/' \
        -e "${3:-}" -- "$1" >"$to.new"
    if cmp -s "$to.new" "$to"; then rm -- "$to.new"; else mv -- "$to.new" "$to"; fi
}

# In sources of tests: they see what is internal.
whole='s/^import FlowCore$/@testable import FlowCore/'

# Random definitions, and the model of the rules.
take_model() { # FOLDER
    local file
    for file in DefinitionGenerator Meant Model ModelNode ModelPlan ObservedEffect ObservedEffect+Order; do
        adapt "Tests/FlowModelTests/$file.swift" "$1" "$whole"
    done
    for file in Tests/FlowModelTests/Model+*.swift; do adapt "$file" "$1" "$whole"; done
}
