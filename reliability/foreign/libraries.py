"""The libraries that are tried: how the programs of each are built and started, and what their natural code can't do."""

import dataclasses
import subprocess

from harness import HERE, TOP

BUILD = TOP / ".build" / "foreign"
#: What reliability/foreign/requirements.txt has.
PYPI = BUILD / "python"
FOLDER = HERE / "foreign"
#: The arguments of the step `filled`.
VALUES = ("count", "below", "factor", "tags", "style", "large")
ROLES = ("stepper", "presenter")
ITEM = ("stepper", "item")
PYTHON = ("/usr/bin/python3", "-B")


@dataclasses.dataclass
class Library:
    """A library, or a tool."""

    name: str
    #: Its package of Debian, of which the name may have a "*", or its distribution of PyPI.
    package: str
    #: How its programs are started, in its folder. "{build}" is where `build` puts what it makes.
    stepper: tuple = ()
    presenter: tuple = ()
    #: Whether its presenter is the screen `item`, which clients/lines/tests/same_screen.py plays, too.
    item: bool = False
    #: Commands that build them, each executed in its folder.
    build: tuple = ()
    #: The arguments that its stepper does not give, and whether it can give a dictionary with variants at all.
    without: tuple = ()
    dictionaries: bool = True
    #: Whether its stepper hears a signal after a restart of flowbusd.
    hears: bool = True
    pypi: bool = False
    #: How its version begins, where another one has other functions.
    begins: str = ""
    #: The folder of its programs, unless it has its name.
    folder: str = ""
    #: What its programs have in their environment. "{address}" is the address of the bus.
    environment: dict = dataclasses.field(default_factory=dict)

    @property
    def word(self):
        return self.name.lower().replace("::", "-").replace(" ", "-")

    @property
    def place(self):
        """Its programs."""
        return FOLDER / (self.folder or self.word)

    @property
    def made(self):
        """What is built of them."""
        return BUILD / self.word

    def version(self):
        """Its version, or None if it is not installed."""
        if self.pypi:
            found = sorted(PYPI.glob(f"{self.package}-*.dist-info"))
            return found[0].name.removeprefix(f"{self.package}-").removesuffix(".dist-info") if found else None
        query = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}\n", self.package]
        said = subprocess.run(query, capture_output=True, text=True, check=False).stdout
        installed = [line.split()[1] for line in said.splitlines() if line.startswith("ii ")]
        return installed[0] if installed else None


def python(name, package, roles=ROLES, **more):
    """One of Python."""
    return Library(name, package, *((*PYTHON, f"{role}.py") for role in roles), item="item" in roles, **more)


def compiled(name, package, compiler, names, suffix="c", roles=ROLES, **more):
    """Programs in C or C++, with the packages of pkg-config that are named."""
    commands = tuple(
        ("sh", "-c", f"{compiler} -O1 -o '{{build}}/{role}' {role}.{suffix} $(pkg-config --cflags --libs {names})") for role in roles)
    return Library(name, package, *built(roles), "item" in roles, commands, **more)


def qt(number, package, moc):
    """Slots are found by what moc writes."""
    commands = tuple(
        ("sh", "-c", f"{moc} {role}.cpp -o '{{build}}/{role}.moc' && "
         f"g++ -O1 -fPIC -std=c++17 -I'{{build}}' -o '{{build}}/{role}' {role}.cpp $(pkg-config --cflags --libs Qt{number}DBus)")
        for role in ROLES)
    return Library(f"Qt {number}", package, *built(ROLES), build=commands, folder="qt")


def cargo(name, package, roles=ROLES, **more):
    """Programs in Rust, with what Debian has of crates.io."""
    options = ("--config", "source.crates-io.replace-with='debian'", "--config", "source.debian.directory='/usr/share/cargo/registry'")
    commands = (
        ("cp", "-r", "Cargo.toml", "src", "{build}"),
        ("/usr/bin/cargo", "build", "--quiet", "--offline", *options, "--manifest-path", "{build}/Cargo.toml"))
    return Library(
        name, package, *built(roles, "target/debug/"), "item" in roles, commands,
        environment={"RUSTC": "/usr/bin/rustc", "CARGO_HOME": str(BUILD / "cargo")}, **more)


def built(roles, folder=""):
    """The commands that start what was built, of a stepper and of a presenter."""
    return tuple((f"{{build}}/{folder}{role}",) for role in roles) + ((),) * (len(ROLES) - len(roles))


def java(name):
    """A class of dbus-java."""
    return ("java", "-Djava.library.path=/usr/lib/jni", "-cp", f"{JARS}:{{build}}", name)


JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ("dbus", "unix", "debug-disable", "hexdump"))
EMACS = ("emacs", "-Q", "--batch", "--load")
# These two fail where there is no system bus.
SYSTEM_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "{address}"}

LIBRARIES = [
    Library("dbus-send", "dbus-bin", ("./stepper",), dictionaries=False, hears=False),
    Library("gdbus", "libglib2.0-bin", ("./stepper",)),
    Library("busctl", "systemd", ("./stepper",), hears=False),
    *(Library(f"qdbus of Qt {number}", f"qdbus-qt{number}", ("./stepper",), dictionaries=False, hears=False, folder="qdbus",
              environment={"QDBUS": f"/usr/lib/qt{number}/bin/qdbus"}) for number in (5, 6)),
    python("PyGObject", "python3-gi"),
    python("dbus-python", "python3-dbus"),
    python("pydbus", "python3-pydbus"),
    python("dasbus", "python3-dasbus"),
    python("jeepney", "python3-jeepney"),
    python("python-sdbus", "sdbus", pypi=True),
    python("txdbus", "python3-txdbus"),
    python("dbus-next", "python3-dbus-next"),
    python("dbus-fast", "dbus_fast", ITEM, pypi=True),
    Library("GJS", "gjs", ("gjs", "stepper.js"), ("gjs", "presenter.js")),
    Library("lgi", "lua-lgi", ("lua5.3", "stepper.lua"), ("lua5.3", "item.lua"), True, without=("large",)),
    Library("ruby-dbus", "ruby-dbus", ("ruby", "stepper.rb"), ("ruby", "item.rb"), True),
    Library("Net::DBus", "libnet-dbus-perl", ("perl", "stepper.pl"), ("perl", "item.pl"), True),
    Library("Emacs", "emacs-*", (*EMACS, "stepper.el"), (*EMACS, "presenter.el")),
    Library("godbus", "golang-dbus-dev", *built(ITEM), True,
            tuple(("go", "build", "-o", f"{{build}}/{role}", f"{role}.go") for role in ITEM),
            environment={"GOPATH": "/usr/share/gocode", "GO111MODULE": "off", "GOCACHE": str(BUILD / "go-cache")}),
    cargo("zbus", "librust-zbus-dev", ITEM, begins="1."),
    cargo("dbus-rs", "librust-dbus-dev", roles=("stepper",)),
    # It loses NavigationOccurred without contributors.
    Library("dbus-java", "libdbus-java", java("Step"), java("Item"), True,
            (("javac", "-cp", JARS, "-d", "{build}", "Step.java", "Item.java"),), hears=False),
    compiled("sdbus-c++", "libsdbus-c++-dev", "g++ -std=c++17", "sdbus-c++", suffix="cpp", roles=ITEM, begins="1."),
    compiled("dbus-c++", "libdbus-c++-dev", "g++ -std=c++11 -Wno-deprecated", "dbus-c++-1", suffix="cpp", roles=("stepper",), hears=False),
    qt(5, "qtbase5-dev", "/usr/lib/qt5/bin/moc"),
    qt(6, "qt6-base-dev", "/usr/lib/qt6/libexec/moc"),
    compiled("ell", "libell-dev", "gcc", "ell"),
    compiled("eldbus", "libefl-all-dev", "gcc", "eldbus ecore"),
    compiled("dbus-glib", "libdbus-glib-1-dev", "gcc -Wno-deprecated-declarations", "dbus-glib-1", roles=("stepper",), hears=False),
    Library("dbus-sharp", "libdbus2.0-cil-dev", ("mono", "{build}/Step.exe"), ("mono", "{build}/Present.exe"), False,
            tuple(("mcs", "-pkg:dbus-sharp-2.0", f"-out:{{build}}/{name}.exe", f"{name}.cs") for name in ("Step", "Present")), hears=False,
            environment=SYSTEM_BUS),
    Library("dbus of Haskell", "libghc-dbus-dev", *built(ROLES), False,
            tuple(("ghc", "-v0", "-threaded", "-outputdir", f"{{build}}/{role}.o", "-o", f"{{build}}/{role}", f"{role}.hs")
                  for role in ROLES),
            folder="haskell"),
    # Its compiler wants a project in a folder with hidden names.
    Library("Gambas", "gambas3-gb-dbus", ("gbx3", "{build}"), (), False,
            (("cp", "project", "{build}/.project"), ("install", "-D", "Main.module", "{build}/.src/Main.module"),
             ("gbc3", "-a", "-g", "{build}")),
            without=("large",), hears=False, environment=SYSTEM_BUS),
    Library("obus", "libobus-ocaml-dev", ("{build}/stepper",), (), False,
            (("cp", "stepper.ml", "{build}"),
             ("ocamlfind", "ocamlopt", "-thread", "-package", "obus,lwt.unix", "-linkpkg", "-o", "{build}/stepper", "{build}/stepper.ml")),
            hears=False),
]
