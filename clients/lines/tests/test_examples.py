# SPDX-License-Identifier: Apache-2.0
"""The same screen in several languages, without a D-Bus library: each of the programs of `examples` does the same."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import same_screen
from conftest import CONNECT

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NEEDED = {".sh": "jq", ".pl": "perl", ".py": "python3", ".js": "node", ".c": "cc", ".rs": "cargo", ".go": "go", ".lua": "lua5.4"}
# Those that need what `tools/dependencies languages` installs; cargo and Go compile for a while.
LONG = {"item.rs", "item.go", "item.lua", "item-sdl.c"}
CARGO = """
[package]
name = "item"
version = "0.0.0"
edition = "2021"
[dependencies]
serde_json = "1"
[[bin]]
name = "item"
path = "{}"
"""
# Debian's crates, and its compilers, whatever is in PATH.
CRATES = ["--config", "source.crates-io.replace-with='debian'", "--config", "source.debian.directory='/usr/share/cargo/registry'"]


def built(program, folder):
    """What is started for an example: itself, or what is compiled of it in the folder."""
    if program.suffix == ".c":
        packages = ["sdl2", "json-c"] if program.name in LONG else ["json-c"]
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", *packages], check=True, capture_output=True, text=True).stdout
        command, made = ["cc", "-Wall", "-Wextra", "-Werror", "-o", folder / "item", program, *shlex.split(flags)], folder / "item"
    elif program.suffix == ".go":
        command, made = ["/usr/bin/go", "build", "-o", folder / "item", program], folder / "item"
    elif program.suffix == ".rs":
        (folder / "Cargo.toml").write_text(CARGO.format(program))
        command, made = ["/usr/bin/cargo", "build", "--quiet", "--offline", *CRATES], folder / "target/debug/item"
    else:
        return program
    environment = {
        **os.environ, "HOME": str(folder), "GOCACHE": str(folder / "go"), "GO111MODULE": "off", "RUSTC": "/usr/bin/rustc",
        "CARGO_HOME": str(folder / "cargo")}
    subprocess.run(command, check=True, cwd=folder, env=environment)
    return made


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir()))
def test_the_same_screen(name, flowbus, tmp_path):
    program = EXAMPLES / name
    if name in LONG and not os.environ.get("LANGUAGES"):
        pytest.skip("`make test-clients PARTS=lines LANGUAGES=all` has it")
    if not shutil.which(NEEDED[program.suffix]):
        pytest.skip(f"there is no {NEEDED[program.suffix]}")
    program = built(program, tmp_path)
    same_screen.play(flowbus(toml=same_screen.FLOWS, environment={"FLOWBUS_CONNECT": CONNECT, "SDL_VIDEODRIVER": "dummy"}), [program])


@pytest.mark.parametrize("program", sorted(EXAMPLES.iterdir()), ids=lambda path: path.name)
def test_an_example_has_40_lines(program):
    assert len(program.read_text().splitlines()) <= 40
