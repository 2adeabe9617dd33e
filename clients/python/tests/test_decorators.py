# SPDX-License-Identifier: Apache-2.0
"""What decorators register, in programs of their own without windows."""

import subprocess
import sys
import textwrap

import pytest
from shop import SHOP

import flowbus as package
from flowbus.testing import CallError

HEAD = """
import flowbus

shop = flowbus.Presenter("org.example.Shop")

def say(*words):
    print(" ".join(map(str, words)), flush=True)  # In one piece, as another program prints, too.
"""


@pytest.fixture
def device(flowbus, libflowbus):
    return flowbus(toml=SHOP)


@pytest.fixture
def install(device, tmp_path):
    """Installs a program, whose text ends with run()."""
    def write(text, name="org.example.Shop", run="raise SystemExit(shop.run())"):
        file = tmp_path / f"{name}.py"
        path = ', object_path="/form"' if name == "org.example.Form" else ""
        file.write_text(HEAD.replace('"org.example.Shop"', f'"{name}"{path}') + textwrap.dedent(text) + f"\n{run}\n")
        device.program(name, [sys.executable, file])
        return [sys.executable, file]

    return write


def wait_said(device, *lines):
    for line in lines:
        device.wait_said(line)


def test_arguments_by_their_names(device, install):
    install("""
        @shop.screen("list")
        def show_list(screen):
            say("list", dict(screen.arguments), screen.style, screen.reason, screen.instance)
            screen.title = "All there is"
            screen.show()

        @shop.screen("detail")
        def show_detail(screen, item: int, color: str = "red"):
            say("detail", item, color)
            screen.on_update(lambda screen: say("updated to", screen.arguments["item"]))
            screen.on_withdraw(lambda screen, reason: say("withdrawn:", reason, screen.is_live))
            screen.show()
    """)
    device.wait_for(lambda tree: tree["shop/list"].presented and tree["shop/list"].title == "All there is")
    assert device.emit("shop/list", "itemPicked", item=7) == "navigated"
    device.wait_presented("shop/detail")
    device.emit("shop/detail", "itemPicked", item=8)
    wait_said(device, "list {}  launch", "detail 7 red", "updated to 8")
    device.back("shop")
    wait_said(device, "withdrawn: back False")


@pytest.mark.parametrize(("text", "message"), [
    ("def show(screen, item: str): pass", "wants 'item' as 'str', but '7' is of the type 'int'"),
    ("def show(screen, thing): pass", "has a parameter 'thing', but there is no such argument; given are 'item'"),
    ("def show(screen): return 7", "returned '7', and no Gtk.Window, no other Gtk.Widget, and not None"),
    ("async def show(screen): return 7", "returned '7', and no Gtk.Window"),
    ("def show(screen): raise flowbus.Refused('sold out')", "the function of the screen 'detail' refuses it: sold out"),
    ("async def show(screen): raise flowbus.Refused('sold out')", "the function of the screen 'detail' refuses it: sold out"),
])
def test_a_screen_that_is_never_shown(device, install, text, message):
    install(f"""
@shop.screen("list")
def show_list(screen): screen.show()

@shop.screen("detail")
{text}
""")
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_gone("shop/detail")
    wait_said(device, message)
    # Once, and shortened by flowbusd.
    assert device.log.count(message[:40]) == 1 and "Traceback" not in str(device.report())


@pytest.mark.parametrize(("text", "message"), [
    ("def show(screen): 1 / 0", "the function of the screen 'detail' failed: division by zero"),
    ("async def show(screen): 1 / 0", "the function of the screen 'detail' failed: division by zero"),
    ("async def show(screen):\n    import asyncio\n    await asyncio.sleep(0)", "which GLib's main loop can't wait for"),
])
def test_a_screen_that_can_not_be_shown_now(device, install, text, message):
    can_later = text.replace("):", "):\n    global calls\n    calls += 1\n    if calls > 1: return screen.show()\n   ", 1)
    install(f"""
@shop.screen("list")
def show_list(screen): screen.show()

calls = 0

@shop.screen("detail")
{can_later}
""")
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_for(lambda tree: message[:40] in tree["shop/detail"].waiting)
    wait_said(device, message)
    # The program shows the screen before it has answered Present.
    device.wait_for(
        lambda tree: tree["shop/detail"].presented and not tree["shop/detail"].waiting, "the item, which waits for nothing any more")


def test_a_screen_without_a_function(device, install):
    install("""
        @shop.screen("list")
        def show_list(screen): screen.show()
    """)
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_gone("shop/detail")
    assert "'org.example.Shop' has no function for the screen 'detail'; it has 'list'" in device.log


def test_steps_their_verdicts_and_errors(device, install):
    install("""
        @shop.screen("list")
        def show_list(screen):
            screen.show()
            flowbus.run(work(screen))

        async def work(screen):
            verdict = await screen.emit("weighed", kilograms=3, tags=["a"])
            say("first:", verdict, verdict.serial > 0, isinstance(verdict, flowbus.Verdict))
            try:
                await screen.emit("itemPickd", item=7)
            except flowbus.Error as error:
                say("second:", error.name, error.message)
            try:
                await screen.emit("itemPicked", item="seven")
            except flowbus.Error as error:
                say("third:", error.name)
            screen.emit("nothingLikeThis")
            pending = screen.emit("weighed", kilograms=1, tags=[])
            try:
                pending.result()
            except RuntimeError as error:
                say("fourth:", error)
            pending.when_done(lambda done: say("fifth:", done.result(), done.is_done))
            say("sixth:", await shop.emit("shop/list", "itemPicked", item=1))
    """)
    device.wait_presented("shop/list")
    wait_said(
        device, "first: navigated True True", "second: UnknownStep", "did you mean 'itemPicked'", "third: InvalidArguments",
        "the step 'nothingLikeThis' of 'list' failed: UnknownStep", "fourth: the step 'weighed' of 'list' is still under way",
        "fifth: navigated True", "sixth: navigated")


def test_a_screen_that_is_dismissed_while_its_function_works(device, install):
    install("""
        @shop.screen("list")
        def show_list(screen):
            screen.show()

        @shop.screen("detail")
        async def show_detail(screen, item: int):
            screen.on_withdraw(lambda screen, reason: say(item, "is withdrawn:", reason))
            say(item, "goes back:", await shop.emit("shop", "closed"))
            if item == 8:
                raise ValueError("too late")
            screen.show()
    """)
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=7)
    wait_said(device, "7 goes back: navigated", "7 is withdrawn: rule")
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=8)
    wait_said(device, "8 goes back: navigated", "the function of the screen 'detail' failed: too late", "8 is withdrawn: failed")
    assert "CRITICAL" not in str(device.report())


def test_a_program_that_gives_up(device, install):
    """It says what failed, also in the function of a screen, before Present is answered."""
    install("""
        @shop.screen("list")
        def show_list(screen):
            shown.append(screen)
            screen.on_withdraw(lambda screen, reason: say("list is withdrawn:", reason))
            screen.show()

        @shop.screen("detail")
        async def show_detail(screen, item: int):
            screen.on_withdraw(lambda screen, reason: say(item, "is withdrawn:", reason))
            if item == 7:
                say("failed:", await screen.fail("org.example.Shop.Error.Empty", "no item 7"))
            else:
                say("dismissed:", await screen.dismiss())
                flowbus.run(give_up(shown[0]))

        async def give_up(screen):
            try:
                await screen.fail("Empty")
            except flowbus.Error as error:
                say("first:", error.name, screen.is_live)
            say("second:", await screen.fail("org.example.Shop.Error.Empty"))

        shown = []
    """)
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=7)
    wait_said(device, "7 is withdrawn: failed", "failed: None")
    device.wait_presented("shop/list")
    device.emit("shop/list", "itemPicked", item=8)
    wait_said(
        device, "8 is withdrawn: dismissed", "dismissed: None", "first: InvalidArguments True", "list is withdrawn: failed",
        "second: None")
    assert "CRITICAL" not in str(device.report())


def test_back_does_what_was_seen(device, install):
    install("""
        @shop.screen("list")
        def show_list(screen):
            screen.show()
            flowbus.run(go(screen))

        @shop.screen("detail")
        def show_detail(screen):
            screen.show()

        async def go(screen):
            say("first:", await shop.peek_back("shop"))
            await screen.emit("itemPicked", item=7)
            would = await shop.peek_back("shop")
            say("second:", would.kind, would.reveals)
            say("third:", await shop.back("shop", would.goes))
            try:
                say("fourth:", await shop.back("shop", would.goes))
            except flowbus.Error as error:
                say("fourth:", error.name)
            try:
                await shop.peek_back("nowhere")
            except flowbus.Error as error:
                say("fifth:", error.name)
    """)
    wait_said(
        device, "first: BackPeek(kind='unhandled', goes=None, reveals='', step='')",
        "second: dismiss /org/flowbus/Navigation1/tree/shop/list", "third: navigated", "fourth: ", "fifth: UnknownObject")


def test_a_tree_is_there_when_it_is_awaited(device, install):
    install("""
        @shop.screen("list")
        async def show_list(screen):
            for path in ("shop", "nowhere"):
                tree = await shop.tree(path)
                say(path, [node.get_path() for node in tree])
            screen.show()
    """)
    wait_said(device, "shop ['/org/flowbus/Navigation1/tree/shop', '/org/flowbus/Navigation1/tree/shop/list']", "nowhere []")
    device.wait_presented("shop/list")


def test_guards(device, install):
    install("""
        @shop.guard("paid")
        async def check(question):
            say("asked about", question.step, question.presentable, question.is_interactive, bool(question.sender))
            answer = answers.pop(0)
            if answer == "wait":
                answer = await waits()
            return answer

        async def waits():
            try:
                await shop.emit("shop", "nothing")
            except flowbus.Error:
                return True

        answers = [False, ("payAsked", {"cents": 2}), "wait"]
    """, "org.example.Auth")
    device.presenter()
    device.emit("shop/list", "payAsked", cents=450)
    assert device.emit_with_options("shop/payment/pay", "paid", interactive=True) == "rejected"
    assert device.emit("shop/payment/pay", "paid") == "navigated"
    assert device.tree()["shop/payment/pay_2"].arguments == {"cents": 2}
    assert device.emit("shop/payment", "paid") == "navigated"
    assert "shop/payment" not in device.tree()
    wait_said(device, "asked about paid /org/flowbus/Navigation1/tree/shop/payment/pay True True")


@pytest.mark.parametrize(("text", "message"), [
    ("def check(question): return 7", "it returned '7': a guard returns True"),
    ("def check(question): 1 / 0", "the guard of 'paid' failed: division by zero"),
    ("async def check(question): 1 / 0", "the guard of 'paid' failed: division by zero"),
    ("def check(question, cents: int): pass", "has a parameter 'cents', but there is no such argument; given are none"),
])
def test_a_guard_that_fails(device, install, text, message):
    install(f'@shop.guard()\n{text}', "org.example.Auth")
    device.presenter()
    device.emit("shop/list", "payAsked", cents=450)
    with pytest.raises(CallError, match="GuardFailed"):
        device.emit("shop/payment/pay", "paid")
    wait_said(device, message)


def test_a_navigator(device, install):
    install("""
        @shop.navigator("start")
        def begin(question): return [("screen", "bare", {"style": "wide"})]

        @shop.navigator("itemPicked")
        def pick(question, item: int):
            return [("screen", "detail", {"arguments": {"item": item}})] if item < 10 else None

        @shop.navigator()
        def others(question): return "nothing"
    """, "org.example.Wizard")
    device.presenter()
    device.coordinate("wizard")
    device.wait_for(lambda tree: "wizard/bare" in tree)
    device.show("wizard/bare")
    assert device.tree()["wizard/bare"].style == "wide"
    assert device.emit("wizard/bare", "itemPicked", item=10) == "unhandled"
    assert device.emit("wizard/bare", "itemPicked", item=9) == "navigated"
    with pytest.raises(CallError, match="NavigatorFailed"):
        device.emit("wizard/detail", "closed")
    wait_said(device, "it returned 'nothing': a navigator returns a list of contributors")


def test_state_results_and_answers_over_the_end_of_a_process(device, install):
    install("""
        @shop.screen("form")
        def show_form(screen):
            say("state", dict(screen.state))
            screen.on_answer(lambda screen, answer: (say("late answer", answer.outcome, dict(answer.result)), answer.acknowledge()))
            screen.on_save(lambda screen: {"saved": "on eviction"})
            screen.on_return(lambda screen: say("returned"))
            screen.show()
            if not screen.state:
                screen.save_state(text="Dear").when_done(lambda done: screen.ask("contactAsked"))
    """, "org.example.Form")
    device.presenter("list")
    picker = device.presenter("picker")
    device.coordinate("mail")
    device.wait_for(lambda tree: "mail/picker" in tree and tree["mail/picker"].presented)
    device.kill("org.example.Form")
    picker.screen("picker").finish(contact=3)
    device.wait_presented("mail/form")
    wait_said(device, "state {}", "state {'text': 'Dear'}", "late answer result {'contact': 3}")

    device.emit("mail/form", "contactAsked")
    device.emit("mail", "idled")
    device.wait_for(lambda tree: tree["mail/form"].evicted)
    picker.screen("picker").close()
    device.wait_presented("mail/form")
    wait_said(device, "state {'saved': 'on eviction'}")


def test_a_step_that_waits_is_taken_back(device, install):
    """S-16: by its token, of a screen and at any path; an ask is answered."""
    install("""
        @shop.screen("slip")
        def show_slip(screen):
            screen.show()
            flowbus.run(work(screen))

        async def work(screen):
            screen.hide()
            for token in ("a", "b"):
                say(token, "is", await screen.emit("waited", {"token": token}))
            await screen.cancel_step("a")
            say("a is then", await screen.emit("waited", {"token": "a"}))
            say("c is", await shop.emit("desk/slip", "waited", {"token": "c"}))
            await shop.cancel_step("desk/slip", "c")
            say("c is then", await shop.emit("desk/slip", "waited", {"token": "c"}))
            for cancel in (screen.cancel_step("d"), shop.cancel_step("desk/slip", "d")):
                try:
                    await cancel
                except flowbus.Error as error:
                    say("d:", error.name, error.message)
            asking = screen.ask("contactAsked", "tap")
            # The verdict of this one comes after the ask has arrived.
            await screen.emit("waited")
            await screen.cancel_step("tap")
            say("the ask:", (await asking).outcome)
    """)
    device.coordinate("desk")
    wait_said(
        device, "a is deferred", "b is deferred", "a is then hidden", "c is deferred", "c is then hidden", "d: InvalidArguments",
        "with the token 'd' waits at", "the ask: nothing")
    # Another client has tokens of its own.
    assert device.emit_with_options("desk/slip", "waited", token="a") == "deferred"
    device.cancel_step("desk/slip", "a")
    assert device.emit_with_options("desk/slip", "waited", token="a") == "hidden"


def test_a_step_that_is_no_input(device, install):
    """S-56: it keeps no flow from being idle. The flow on which it is emitted would be idle again before the other one, on which a step
    is emitted later."""
    for path in ("one", "two"):
        device.coordinate("view", id=path)
        device.wait_for(lambda tree, path=path: f"{path}/bare" in tree)

    def idle_again(emit):
        before = device.tree()
        emit()
        device.wait_for(lambda tree: tree["two/bare"].instance != before["two/bare"].instance)
        assert device.tree()["one/bare"].instance == before["one/bare"].instance

    idle_again(lambda: install("""
        @shop.screen("list")
        def show_list(screen):
            screen.show()
            flowbus.run(work(screen))

        async def work(screen):
            await shop.emit("one", "waited", {"input": False})
            await shop.emit("two", "waited")
    """))

    def emit():
        device.emit_with_options("one", "waited", input=False)
        device.emit("two", "waited")

    idle_again(emit)


def test_the_size_of_the_output(device, install):
    """S-53: as the program that sets the outputs has told it."""
    stacker = device.client("org.example.Stacker")
    stacker.set_outputs("wall", "desk", sizes={"wall": (320, 240)})
    install("""
        @shop.screen("list", "detail")
        def show(screen):
            say(screen.name, "has", screen.output_size)
            screen.show()
    """)
    wait_said(device, "list has (320, 240)")
    stacker.set_outputs("desk", "wall", sizes={"wall": (320, 240)})
    device.emit("shop/list", "itemPicked", item=7)
    wait_said(device, "detail has None")
    with pytest.raises(CallError, match="'wall' can't be '0x1' pixels large"):
        stacker.set_outputs("wall", sizes={"wall": (0, 1)})


def test_an_ask_and_a_result(device, install):
    install("""
        @shop.screen("list")
        async def show_list(screen):
            screen.show()
            screen.on_save(lambda screen: None)
            flowbus.run(ask(screen))

        async def ask(screen):
            answer = await screen.ask("contactAsked")
            answer.acknowledge()
            say("picked", answer.outcome, answer.result["contact"], len(answer.token) > 8)
            say("back:", await screen.back())
            screen.back_step = "closed"
            screen.touch()
            screen.hide()
    """)
    install("""
        @shop.screen("picker")
        def show_picker(screen):
            screen.show()
            screen.finish(contact=5).when_done(lambda done: say("finished", done.result()))
    """, "org.example.Picker")
    wait_said(device, "picked result 5 True", "back: unhandled", "finished None")
    device.wait_for(lambda tree: not tree["shop/list"].visible)


def test_a_program_that_shows_nothing_any_more_ends(device, install):
    command = install("""
        @shop.screen("list")
        def show_list(screen):
            screen.show()
            screen.on_withdraw(lambda screen, reason: say("list is withdrawn:", reason))

        @shop.screen("detail")
        def show_detail(screen, **arguments):
            say(arguments, len(shop.screens))
            screen.dismiss()
    """, run="say('ends with', shop.run())")
    assert command
    device.wait_presented("shop/list")
    device.wait_for(lambda tree: tree["shop/list"].owner, "an owner of the list")
    owner = device.tree()["shop/list"].owner
    device.emit("shop/list", "itemPicked", item=7)
    device.wait_gone("shop/detail")
    wait_said(device, "{'item': 7} 2")
    device.call("/org/flowbus/Navigation1/tree/shop", "org.flowbus.Navigation1.Presentable", "Dismiss")
    device.wait_left(owner)
    wait_said(device, "list is withdrawn: parent", "ends with 0")


def test_another_presenter_has_a_question(device, install):
    install("""
        auth = flowbus.Presenter("org.example.Auth")
        shown = []

        @shop.screen("list")
        def show_list(screen):
            shown.append(screen)
            screen.show()

        @auth.guard("paid")
        async def check(question):
            await shown[0].dismiss()
            for _ in range(10):
                await auth.emit("shop", "failed", why="the guard takes its time")
            say("checked")
            return True

        auth.start()
    """)
    install("""
        @shop.screen("pay")
        async def show_pay(screen):
            screen.show()
            screen.emit("paid").when_done(lambda paid: say("paid:", paid.result()))
    """, name="org.example.Pay")
    # The program shows the screen before it has answered Present.
    owner = device.wait_for(lambda tree: "shop/list" in tree and tree["shop/list"].owner)["shop/list"].owner
    device.emit("shop/list", "payAsked", cents=5)
    wait_said(device, "checked", "paid: navigated")
    device.wait_left(owner)


def test_closed_while_a_step_is_under_way(device, install):
    install("""
        @shop.screen("list")
        def show_list(screen):
            screen.show()
            step = shop.emit("shop", "failed", why="nothing")
            shop.close()
            step.when_done(end)

        def end(step):
            say("done:", step.result())
            loop.quit()
    """, run="""
shop.start()
loop = flowbus._presenter.GLib.MainLoop()
# The bus starts it anew each time, and the last one may come too late for the device to know of it.
shop.client.connect("closed", lambda *_error: loop.quit())
loop.run()
""")
    wait_said(device, "done: navigated")


def test_another_program_has_the_name(device, install):
    command = install("""
        @shop.screen("list")
        def show_list(screen): screen.show()
    """)
    device.wait_presented("shop/list")
    second = device.run(command)
    assert second.wait(20) == 1
    wait_said(device, "'org.example.Shop'", "another")


def test_the_bus_ends(device, install):
    command = install("""
        @shop.screen("list")
        def show_list(screen): screen.show()
    """)
    environment = {**device.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=20)
    assert ended.returncode == 1 and "there is no connection to the bus: " in ended.stderr


@pytest.mark.usefixtures("libflowbus")
class TestMistakes:
    def test_names(self):
        for name in ("shop", "", ":1.5", "org.example."):
            with pytest.raises(ValueError, match=f"'{name}' is no bus name"):
                package.Presenter(name)

        with pytest.raises(ValueError, match="'form' is no object path"):
            package.Presenter("org.example.Form", object_path="form")

    def test_decorators(self):
        shop = package.Presenter("org.example.Shop")
        with pytest.raises(TypeError, match=r"the decorator needs parentheses: @….screen\('name'\)"):
            shop.screen(print)
        with pytest.raises(TypeError, match="needs the name of at least one screen"):
            shop.screen()

        @shop.screen("list")
        def show_list(screen):
            pass

        with pytest.raises(ValueError, match="there is a screen for 'list' already, the function 'show_list'"):
            shop.screen("list")(print)
        shop.guard()(print)
        with pytest.raises(ValueError, match="there is a guard for all steps already"):
            shop.guard()(print)

    def test_before_the_start(self):
        shop = package.Presenter("org.example.Shop")
        assert shop.screens == []
        with pytest.raises(RuntimeError, match=r"has not started: call run\(\) or start\(\) before"):
            shop.emit("shop", "start")


def test_without_the_typelib(tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", "import flowbus; flowbus.Presenter('org.example.Shop')"], env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=False)
    assert "ImportError: there is no typelib 'Flowbus-1'; install the package 'gir1.2-flowbus-1'" in said.stderr


def test_the_package_has_what_it_names(libflowbus):
    for name in package.__all__:
        assert getattr(package, name)
    with pytest.raises(AttributeError, match="has no attribute 'Presentr'"):
        package.Presentr  # noqa: B018
