#!/usr/bin/env bash
# The TOML suite toml-test, as Debian 13 has it (golang-github-burntsushi-toml-dev 1.4.0-1, golang-go 2:1.24~2), with readers of
# TOML 1.1.0 from PyPI: tomli 2.5.0, tomlkit 0.15.2, rtoml 0.14.0.
#
# The suite lists its tests by the version of TOML, and "1.1.0" is one that it has, so one expects a reader of TOML 1.1.0 to pass those.
# None can: they were written for a draft, which had letters beyond ASCII in bare keys, and TOML 1.1.0 was released without them. A reader
# that is right fails valid/key/unicode, and one that is wrong about it is not found, since invalid/key/special-character (a bare Greek
# letter) is left out of 1.1.0. The suite says 1.1.0 everywhere, and draft nowhere. (toml-test itself dropped that test in June 2024.)
#
# Seen:
#   invalid/key/special-character is not in 1.1.0
#   tomli fails valid/key/unicode
#   tomlkit fails valid/key/unicode
#   rtoml fails valid/key/unicode
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT
root=$dir/root

mmdebstrap --quiet --variant=apt --include=golang-go,golang-github-burntsushi-toml-dev,python3-minimal,libpython3-stdlib trixie "$root"
for package in golang-github-burntsushi-toml-dev=1.4.0-1 golang-go=2:1.24~2; do
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' "${package%=*}")
    [[ $version == "${package#*=}" ]] || { echo "Debian 13 has ${package%=*} $version now, no longer ${package#*=}"; exit 1; }
done
python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.13 \
    --platform manylinux_2_17_x86_64 --target "$root/readers" tomli==2.5.0 tomlkit==0.15.2 rtoml==0.14.0

# The suite is an internal package there: only programs beside it can use it.
program=github.com/BurntSushi/toml/internal/list
suite=/usr/share/gocode/src/github.com/BurntSushi/toml/internal/toml-test/tests
mkdir "$root/usr/share/gocode/src/$program"
cat >"$root/usr/share/gocode/src/$program/main.go" <<'GO'
package main

import (
	"fmt"
	"strings"

	suite "github.com/BurntSushi/toml/internal/toml-test"
)

func main() {
	tests, err := suite.Runner{Files: suite.EmbeddedTests(), Version: "1.1.0"}.List()
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.Join(tests, "\n"))
}
GO
# What a reader makes of a test is the least that is asked of it here: to take it or not.
cat >"$root/try.py" <<'PYTHON'
import pathlib
import sys

sys.path.insert(0, "/readers")
import rtoml
import tomli
import tomlkit

suite = pathlib.Path(sys.argv[1])
tests = sys.stdin.read().split()
for path in suite.glob("*/key/special-character.toml"):
    test = str(path.relative_to(suite).with_suffix(""))
    print(test, "is in 1.1.0" if test in tests else "is not in 1.1.0")


def takes(reader, test):
    try:
        reader.loads((suite / f"{test}.toml").read_bytes().decode())
    except Exception:
        return False
    return True


for reader in (tomli, tomlkit, rtoml):
    for test in tests:
        if takes(reader, test) != test.startswith("valid/"):
            print(reader.__name__, "fails", test)
PYTHON
# shellcheck disable=SC2016  # the dollars are the inner shell's
seen=$(unshare --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' - "$root" env -i PATH="$PATH" HOME=/tmp GO111MODULE=off \
    GOPATH=/usr/share/gocode LC_ALL=C.UTF-8 sh -c 'go run "$1" >/tests && python3 /try.py "$2" </tests' - "$program" "$suite")
echo "$seen"
[[ $(wc -l <"$root/tests") -gt 300 && $seen == 'invalid/key/special-character is not in 1.1.0
tomli fails valid/key/unicode
tomlkit fails valid/key/unicode
rtoml fails valid/key/unicode' ]]
