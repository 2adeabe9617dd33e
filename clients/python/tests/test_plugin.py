# SPDX-License-Identifier: Apache-2.0
"""What pytest prints: when a test of a device fails, and when the device can't even be made."""

import os
import select
import shutil
import subprocess
import sys

import pytest
from shop import SHOP


@pytest.fixture
def outside(pytester, monkeypatch):
    """A test of somebody else, in a folder and a process of its own. Returns a function that runs it."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, map(os.path.abspath, sys.path))))
    (pytester.path / "flows.d").mkdir()
    (pytester.path / "flows.d" / "shop.toml").write_text(SHOP)

    def run(*options, **files):
        pytester.makepyfile(**files)
        # Where the package is installed, pytest finds the plugin by its entry point.
        plugin = [] if os.environ.get("FLOWBUS_TEST_INSTALLED") else ["-p", "flowbus.testing.plugin"]
        return pytester.runpytest_subprocess(*plugin, *options)

    return run


def test_a_test_that_passes_prints_nothing(outside):
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            assert device.emit("shop/list", "itemPicked", item=7) == "navigated"
    """)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*flowbusd*")


def test_a_failure_shows_the_tree_the_programs_and_the_log(outside):
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            device.presenter("detail", refuses="no memory")
            assert device.emit("shop/list", "itemPicked", item=7) == "navigated"
            assert device.tree() == '''
                shop        flow, presented
                ├── list    screen, visible
                └── detail  screen, presented, current  item=7
            '''
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*the tree is not as expected (- expected, + is there)",
        "*-     list screen, visible",
        "*-     detail screen, presented, current item=7",
        "*+     list screen, presented, current",
        "*- the tree of flowbusd -*",
        "    list  screen, presented, current",
        "*- the played programs -*",
        "org.example.Shop: is called, Present shop/detail item=7 (launch)",
        "*- the log of flowbusd -*",
        "*no memory*",
    ])
    # The line of the test, and none of the fixture's own.
    result.stdout.no_fnmatch_line("*_device.py*")


def test_an_error_in_the_test_shows_it_too(outside):
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            device.emit("shop/list", "itemPickd", item=7)
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*>*device.emit(*", "E*CallError: UnknownStep: *did you mean 'itemPicked'?", "*- the log of flowbusd -*"])


def test_what_is_not_in_the_tree_is_shown_with_it(outside):
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            device.emit("shop/list", "payAsked", cents=1)
            assert "shop/payment/paid" in device.tree()

        def test_too_much(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            assert "shop/list" not in device.tree()
    """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([
        "E*assert 'shop/payment/paid' is not in the tree", "E *shop * flow, presented", "*- programs that the test neither plays nor installs -*",
        "org.example.Auth", "org.example.Form", "org.example.Map", "org.example.Pay", "*", "E*assert 'shop/list' is in the tree"])


def test_two_devices_are_told_apart(outside):
    result = outside(test_it="""
        def test_two(flowbus):
            one, two = flowbus("flows.d"), flowbus("flows.d")
            one.presenter("list"), two.presenter("list", shows=False)
            assert one.tree() == two.tree()
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*- device 1: the tree of flowbusd -*", "*- device 2: the tree of flowbusd -*"])


def test_a_device_of_another_fixture(outside):
    result = outside(conftest="""
        import pytest

        @pytest.fixture
        def shop(flowbus):
            device = flowbus("flows.d")
            device.presenter()
            return device
    """, test_it="""
        def test_shop(shop):
            assert shop.tree().presented == ["shop/detail"]
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*- the log of flowbusd -*"])


def test_what_fails_after_the_test_is_an_error(outside):
    result = outside(test_it="""
        import os, signal

        def test_answer(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            device.presenter("picker", answers={"contact": "nobody"})
            device.emit("shop/list", "contactAsked")

        def test_crash(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            device.tree()
            os.kill(device.flowbusd.process_id, signal.SIGKILL)
            device.flowbusd.wait_ended()
    """)
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines([
        "E*CallError: InvalidArguments: *contact*", "E*flowbusd ended by itself, with the signal SIGKILL:"])


def test_definitions_with_errors(outside, pytester):
    file = pytester.path / "flows.d" / "shop.toml"
    file.write_text(SHOP.replace('{ screen = "list" }', '{ screen = "lisst" }'))
    result = outside(test_it="""
        def test_tap(flowbus):
            flowbus("flows.d")
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "E*DefinitionError: the definition files have errors:",
        f"E*{file}:*: error: *flows.shop.on.start* no file declares a screen 'lisst'; did you mean 'list'?"])


@pytest.mark.parametrize(("setting", "message"), [
    ({"FLOWBUSD": "/no/such/flowbusd"}, "E*$FLOWBUSD says that flowbusd is '/no/such/flowbusd', which is no program*"),
    ({"FLOWBUSD": "", "PATH": "/var/empty"}, "E*'flowbusd' is not in PATH; install the package 'flowbus', or set $FLOWBUSD*"),
    ({"PATH": "/var/empty"}, "E*'dbus-daemon' is not in PATH; install the package 'dbus-daemon', or set $DBUS_DAEMON*"),
    ({"FLOWBUSD": "/bin/false"}, "E*the definition files have errors*"),
])
def test_a_program_that_is_missing(outside, monkeypatch, setting, message):
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    result = outside(test_it="""
        def test_tap(flowbus):
            flowbus("flows.d")
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([message])


def test_the_option_names_flowbusd(outside):
    result = outside("--flowbusd=/no/such/program", test_it="""
        def test_tap(flowbus):
            flowbus("flows.d")
    """)
    result.stdout.fnmatch_lines(["E*the option says that flowbusd is '/no/such/program'*"])


def test_a_time_that_is_none(outside):
    result = outside("--flowbus-timeout=soon", test_it="""
        def test_tap(flowbus):
            flowbus("flows.d")
    """)
    result.stdout.fnmatch_lines(["*flowbus: 'soon' is no time to wait: give a number of seconds above 0*"])


def test_a_time_of_the_configuration(outside, pytester):
    pytester.makeini("[pytest]\nflowbus_timeout = 17\n")
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter("list")
            assert device.timeout == 17 and device.tree().presented
            device.timeout = 0.2  # Everything has started, which may take longer on a slow machine.
            device.wait_presented("shop/detail")
    """)
    result.stdout.fnmatch_lines(["E*TimeoutError: there was not 'shop/detail', presented; the tree is"])


@pytest.mark.parametrize(("line", "message"), [
    ('flowbus("flow.d")', "E*there is no folder of definition files *flow.d'"),
    ("flowbus()", "E*flowbus() needs a folder of definition files, or the text of one as toml="),
    ('flowbus("flows.d").presenter("lisst")', "E*the definitions have no screen 'lisst'; did you mean 'list'?"),
    ('flowbus("flows.d").presenter("org.example.Shopp")',
     "E*'org.example.Shopp' is the presenter of no screen in the definitions; did you mean 'org.example.Shop'?"),
    ('flowbus("flows.d").presenter("list", "picker")',
     "E*'picker' is shown by 'org.example.Picker' and not by 'org.example.Shop': play each program by a call of its own"),
    ('flowbus("flows.d").guard("shop")', "E*the definitions give the flow 'shop' no guard"),
    ('flowbus("flows.d").guard("payments")', "E*the definitions have no flow 'payments'; did you mean 'payment'?"),
    ('flowbus("flows.d").navigator("shop")', "E*the definitions give the flow 'shop' no navigator"),
    ('flowbus("flows.d").run(["/no/such/program"]).wait() and 1 / 0', "E*"),
    ('flowbus("flows.d", options=["--no-such-option"]).tree()', "E*flowbusd ended with status 64 instead of being ready:"),
    ('flowbus("flows.d").kill("org.example.Nobody")', "E*no program owns the name 'org.example.Nobody'"),
])
def test_wrong_input(outside, line, message):
    result = outside(test_it=f"""
        def test_tap(flowbus):
            {line}
    """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([message])


def test_without_gobject_introspection(outside, pytester):
    (pytester.path / "gi").mkdir()
    (pytester.path / "gi" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'gi'\", name='gi')\n")
    result = outside(test_it="""
        def test_tap(flowbus):
            flowbus("flows.d")

        def test_another():
            assert "1" == "2"
    """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["E*the fixture 'flowbus' needs PyGObject; install the package 'python3-gi'*"])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


@pytest.mark.parametrize("name", ["flowbus.testing.Device", "flowbus.testing.Client", "flowbus.Presenter"])
def test_pydoc_without_gobject_introspection(pytester, monkeypatch, name):
    (pytester.path / "gi").mkdir()
    (pytester.path / "gi" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'gi'\", name='gi')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(pytester.path), *sys.path]))
    said = subprocess.run([sys.executable, "-m", "pydoc", name], capture_output=True, text=True, check=False)
    assert said.stdout.strip() == (
        f"'{name}' needs PyGObject; install the package 'python3-gi', and use the Python that has it: this is '{sys.executable}'")


def test_a_folder_for_temporary_files_with_a_long_name(outside, pytester, monkeypatch):
    folder = pytester.path / ("long" * 20)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter()
            assert device.tree().presented == ["shop/list"] and str(device.folder).startswith("/tmp/flowbus-")
    """)
    result.assert_outcomes(passed=1)
    assert not list(folder.glob("flowbus-*"))


def test_a_bus_that_does_not_start(outside, pytester, monkeypatch):
    program = pytester.path / "dbus-daemon"
    program.write_text("#!/bin/sh\necho 'no bus today' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("DBUS_DAEMON", str(program))
    result = outside(test_it="""
        def test_tap(flowbus):
            flowbus("flows.d")
    """)
    result.stdout.fnmatch_lines(["E*DeviceError: the private bus did not start:", "E*no bus today"])


def test_nothing_is_left(outside, pytester, monkeypatch):
    folder = pytester.path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    result = outside(test_it="""
        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter()
            device.tree()
            assert False
    """, )
    result.assert_outcomes(failed=1)
    assert [path.name for path in folder.iterdir() if path.name.startswith("flowbus-")] == []


def test_a_killed_pytest_leaves_no_process(outside, pytester, monkeypatch):
    """Not even one: the bus and flowbusd end with the process of the test."""
    pytester.makepyfile(test_it="""
        import os, signal

        def test_tap(flowbus):
            device = flowbus("flows.d")
            device.presenter()
            device.tree()
            with os.fdopen(int(os.environ["REPORT"]), "w") as report:
                print(device._bus._process.pid, device.flowbusd.process_id, device.folder, file=report)
            signal.pause()
    """)
    reading, writing = os.pipe()
    plugin = [] if os.environ.get("FLOWBUS_TEST_INSTALLED") else ["-p", "flowbus.testing.plugin"]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *plugin, "test_it.py"], env={**os.environ, "REPORT": str(writing)}, pass_fds=[writing],
        stdout=(pytester.path / "printed").open("w"), cwd=pytester.path)
    os.close(writing)
    with os.fdopen(reading) as report:
        line = report.readline()
    assert line, (pytester.path / "printed").read_text()
    bus, flowbusd, folder = line.split()
    descriptors = [os.pidfd_open(int(each)) for each in (bus, flowbusd)]
    process.kill()
    process.wait()
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 20)[0], "a process is left"
        os.close(descriptor)
    shutil.rmtree(folder)
