#!/usr/bin/env bash
# The TOML suite toml-test, as Debian 13 has it (golang-github-burntsushi-toml-dev 1.4.0-1, golang-go 2:1.24~2); the same in toml-test's
# own releases 1.0.0 (2021) to 1.6.0, mended in 2.0.0 (commit f53d154, April 2025).
#
# A decoder that passes the official suite is taken to read dates and times right. The suite's Go program compares the date that is
# expected with the date that is expected, so each value of the right type passes, and it need not even be a date. Other types are
# compared. A parser that was checked with that program has its dates unchecked, unless somebody compared the files otherwise.
#
# Seen, for the test and the answer of a decoder:
#   valid/datetime/local-date date-local 1987-07-05: passed
#   valid/datetime/local-date date-local 1066-10-14: passed
#   valid/datetime/local-date date-local tomorrow: passed
#   valid/datetime/local-date string 1987-07-05: failed
#   valid/spec/key-value-pair-0 string other: failed
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=golang-go,golang-github-burntsushi-toml-dev trixie "$root"
for package in golang-github-burntsushi-toml-dev=1.4.0-1 golang-go=2:1.24~2; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done

# The suite is an internal package there: only programs beside it can use it.
program=github.com/BurntSushi/toml/internal/dates
mkdir "$root/usr/share/gocode/src/$program"
cat >"$root/usr/share/gocode/src/$program/main.go" <<'GO'
package main

import (
	"context"
	"fmt"

	suite "github.com/BurntSushi/toml/internal/toml-test"
)

// A decoder with one answer.
type answer string

func (a answer) Decode(context.Context, string) (string, bool, error) { return string(a), false, nil }
func (a answer) Encode(context.Context, string) (string, bool, error) { panic("not a test of encoders") }

func try(test, key, kind, value string) {
	decoder := answer(fmt.Sprintf(`{%q: {"type": %q, "value": %q}}`, key, kind, value))
	tests, err := suite.Runner{Files: suite.EmbeddedTests(), Version: "1.0.0", RunTests: []string{test}, Parser: decoder}.Run()
	if err != nil {
		panic(err)
	}
	result := "neither"
	if tests.PassedValid == 1 && tests.FailedValid == 0 {
		result = "passed"
	} else if tests.PassedValid == 0 && tests.FailedValid == 1 {
		result = "failed"
	}
	fmt.Printf("%s %s %s: %s\n", test, kind, value, result)
}

func main() {
	date := "valid/datetime/local-date"
	try(date, "bestdayever", "date-local", "1987-07-05")
	try(date, "bestdayever", "date-local", "1066-10-14")
	try(date, "bestdayever", "date-local", "tomorrow")
	try(date, "bestdayever", "string", "1987-07-05")
	try("valid/spec/key-value-pair-0", "key", "string", "other")
}
GO
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - "$root" env -i PATH="$PATH" HOME=/tmp GO111MODULE=off \
    GOPATH=/usr/share/gocode go run "$program")
echo "$seen"
[[ $seen == 'valid/datetime/local-date date-local 1987-07-05: passed
valid/datetime/local-date date-local 1066-10-14: passed
valid/datetime/local-date date-local tomorrow: passed
valid/datetime/local-date string 1987-07-05: failed
valid/spec/key-value-pair-0 string other: failed' ]]
