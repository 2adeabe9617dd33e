"""What is played while a call of flowbusd fails. Each scenario ends with the rules that have to hold (World)."""

import signal

from world import DEFINITIONS, role

SHOWN = {"/main": True, "/main/wishlist": True, "/main/wishlist/movieList": False, "/main/watched": True, "/main/watched/movieList": False}


def finish(world, expected):
    """What holds at the end of each."""
    tree = world.check_tree(expected)
    world.check_restart(tree)
    world.check_answers()
    world.check_logs()


def start(world):
    """flowbusd starts for the first time, and ends."""
    world.start_served(is_faulty=True)
    finish(world, SHOWN)


def build(world):
    """A tree with something of everything; what it is."""
    world.show("/main/wishlist/movieList")
    world.emit("/main/wishlist", "picked", {"movie": ("x", 23452)})
    world.show("/main/wishlist/movieDetail")
    world.ask("/main/wishlist/movieDetail", "Presentable", "Claim")
    world.ask("/main/wishlist/movieDetail", "Presentable", "SaveState", "a{sv}", {"place": ("s", "middle")})
    world.emit("/main/watched", "picked", {"movie": ("x", 55423)})
    return {**SHOWN, "/main/wishlist/movieList": True, "/main/wishlist/movieDetail": True, "/main/watched/movieDetail": False}


def navigate(world):
    """Steps, and all that changes presentables, with the stores."""
    world.start_served(is_faulty=True)
    build(world)
    world.show("/main/watched/movieDetail")
    world.ask("/main/watched/movieDetail", "Presentable", "Claim")
    world.ask("/main/watched/movieDetail", "Presentable", "SetTitle", "s", "A movie")
    world.emit("/main/watched", "noted", changes=False)
    world.ask("/main/watched/movieList", "Presentable", "Claim")
    world.ask("/main/watched/movieList", "Presentable", "Release", done=("NotOwner",))
    world.ask("/main/watched/movieDetail", "Presentable", "Dismiss", done=("UnknownObject",))
    world.emit("/main/wishlist", "settings")
    world.show("/main/wishlist/settings/settingsList")
    world.emit("/main/wishlist/settings", "done")
    world.emit("/main/wishlist", "noted", changes=False)
    world.history()
    finish(world, {**SHOWN, "/main/wishlist/movieList": True, "/main/wishlist/movieDetail": True})


def peers(world):
    """A guard and a presenter take part, and the presenter leaves and comes back."""
    world.start_served(is_faulty=True)
    world.show("/main/wishlist/movieList")
    world.emit("/main/wishlist", "paid")
    receipt = "/main/wishlist/receipt"

    def is_owned():
        return world.watcher.is_current and world.watcher.tree.get(receipt, {}).get("Owner") == ("s", world.peer.name)

    world.until(is_owned, "the owner of the screen")
    world.show(receipt, by=world.peer)
    world.ask(receipt, "Presentable", "Release", by=world.peer, done=("NotOwner",))
    world.ask(receipt, "Presentable", "Claim", by=world.peer)
    world.emit("/main/wishlist", "picked", {"movie": ("x", 1)})
    finish(world, {**SHOWN, "/main/wishlist/movieList": True, receipt: True, "/main/wishlist/movieDetail": False})


def kill(world):
    """Kills the first flowbusd while its guard was asked; the next one's guard says yes."""
    world.waiting_question, world.guards = None, True
    first = world.processes[0]
    first.accepted.add(-signal.SIGKILL)
    first.signal(signal.SIGKILL)
    # The next one comes when this is seen, so that the scenario says which.
    world.processes.remove(first)
    first.end()
    world.ended.append(first)


def restart(world):
    """flowbusd was killed while a guard was asked, and starts again with its files."""
    world.start_served()
    expected = build(world)
    world.guards = False
    step = world.client.start(
        role("/main/wishlist", "Stepper"), "EmitStepWithOptions", "sa{sv}a{sv}", "paid", {}, {"token": ("s", "paid")})
    world.until(lambda: world.waiting_question, "the guard")
    kill(world)
    world.start_served(is_faulty=True)
    world.until(lambda: step.answer, "the end of the call")
    # The guard is asked again (D-4).
    world.until(lambda: world.watcher.is_current and "/main/wishlist/receipt" in world.watcher.tree, "the step that waited")

    def is_owned():
        return world.watcher.tree.get("/main/wishlist/receipt", {}).get("Owner") == ("s", world.peer.name)

    world.until(lambda: world.watcher.is_current and is_owned(), "the owner of the screen")
    world.emit("/main/watched", "noted", changes=False)
    finish(world, {**expected, "/main/wishlist/receipt": False})


def replace(world):
    """flowbusd takes over from another one (D-9)."""
    take_over(world, is_new_faulty=True)


def replaced(world):
    """Another flowbusd takes over from it (D-9)."""
    take_over(world, is_new_faulty=False)


def take_over(world, is_new_faulty):
    """One of two fails."""
    world.start_served(is_faulty=not is_new_faulty)
    expected = build(world)
    old = list(world.processes)
    for process in old:
        process.accepted.add(0)
    new = world.start("--replace", is_faulty=is_new_faulty)
    # Where the old one does not hand over, the new one says so, and the old one goes on.
    new.accepted.add(69)
    world.until(lambda: new not in world.processes or not set(old) & set(world.processes), "one of them to be left")
    world.emit("/main/watched", "noted", changes=False)
    finish(world, expected)


def reload(world):
    """The definition files change, by a call and by SIGHUP."""
    world.start_served(is_faulty=True)
    expected = build(world)
    changed = DEFINITIONS.replace('settings = { flow = "settings", style = "modal" }', 'settings = { screen = "settingsList" }')
    changed = changed.replace("[flows.settings]\n", "[flows.more]\n").replace("[flows.settings.on]", "[flows.more.on]")
    world.write_definitions(changed)
    world.ask("", "Coordinator", "Reload")
    world.emit("/main/wishlist", "settings")
    names = world.ask("", "Coordinator", "GetDefinitionNames")[0]
    if "more" not in names or "settings" in names:
        world.wrong.append(f"after Reload, there is {names}")
    for process in world.processes:
        process.signal(signal.SIGHUP)
    world.ask("", "Coordinator", "GetSerial")
    finish(world, {**expected, "/main/wishlist/settingsList": False})


DEVICE = {
    **SHOWN, "/device": True, "/device/clock": True, "/device/clock/movieList": False, "/device/clock/alarm": False, "/device/desk": True,
    "/device/desk/movieList": False, "/device/player": True, "/device/player/film": False, "/device/dialogs": True,
    "/device/dialogs/dialog": False}


def film(world):
    """A root with a timer, whose player shows a film, and becomes a picture in a corner; the player's instance."""
    world.ask("", "Coordinator", "Coordinate", "ssa{sv}a{sv}", "device", "", {}, {"token": ("s", "device")})
    world.emit("/device", "filmed")
    world.until(lambda: world.watcher.tree.get("/device/player/film", {}).get("Owner") == ("s", world.peer.name), "the owner of the film")
    instance = world.watcher.tree["/device/player"]["Instance"]
    world.emit("/device", "shrunk")
    return instance


def queue(world, numbers):
    """Asks for dialogs that have to wait for their turn."""
    for number in numbers:
        world.emit("/device/desk", "asked", {"number": ("x", number)}, wanted="deferred", changes=False)


def finish_device(world, instance):
    """The second dialog has its turn, and is the last one that does; the timer has emitted its step once; the player is the one of before."""
    world.until(lambda: world.watcher.is_current and "/device/dialogs" in world.watcher.tree, "the first dialog")
    world.emit("/device", "answered")

    def is_second():
        dialog = world.watcher.tree.get("/device/dialogs/dialog")
        return world.watcher.is_current and dialog and dialog["Arguments"] == ("a{sv}", {"number": ("x", 2)})

    world.until(is_second, "the second dialog")
    world.until(lambda: world.watcher.is_current and "/device/clock/alarm" in world.watcher.tree, "the step of the timer")
    player = world.watcher.tree["/device/player"]
    if (player["Style"], player["Instance"]) != (("s", "corner"), instance):
        world.wrong.append(f"the player has become {player}; its instance was {instance}")
    finish(world, DEVICE)


def moves(world):
    """A child changes its place, a timer emits its step, and steps are taken in turn; one of them is taken back."""
    world.start_served(is_faulty=True)
    instance = film(world)
    # It changes nothing itself: its parent takes the next step.
    world.emit("/device/desk", "asked", {"number": ("x", 1)}, changes=False)
    queue(world, (2, 3))
    world.ask("/device/desk", "Stepper", "CancelStep", "s", f"t{world.tokens}")
    finish_device(world, instance)


def turns(world):
    """flowbusd was killed while a guard was asked about the step that has its turn, others wait for theirs, and a timer runs."""
    world.start_served()
    instance = film(world)
    world.guards = False
    step = world.client.start(
        role("/device/desk", "Stepper"), "EmitStepWithOptions", "sa{sv}a{sv}", "asked", {"number": ("x", 1)}, {"token": ("s", "first")})
    world.until(lambda: world.waiting_question, "the guard")
    queue(world, (2, 3))
    token = f"t{world.tokens}"
    kill(world)
    world.start_served(is_faulty=True)
    world.until(lambda: step.answer, "the end of the call")
    # The guard is asked again (D-4), and the step has its turn still.
    world.ask("/device/desk", "Stepper", "CancelStep", "s", token)
    finish_device(world, instance)


SCENARIOS = {play.__name__: play for play in (start, navigate, peers, restart, replace, replaced, reload, moves, turns)}
