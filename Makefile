# flowbus: `make help` lists the targets. Needs Swift 6.2 or later; tools/dependencies installs what else is missing.

PREFIX = /usr/local
DESTDIR =
# What `make run` gives to flowbusd.
OPTIONS = --flows examples/movies/flows.d
# What `make test` gives to the tests, as to `swift test`, for instance --filter NamesTests.
TEST_OPTIONS =
# How many random lives `make test` compares with the model of the rules, and how many times it repeats what may leave nothing in
# memory. `make test-night` does both more often.
SEQUENCES = 5000
CYCLES = 100000
# How often `make test` kills flowbusd in each test that does.
KILLS = 20
# A sanitizer for `make test`: address or thread. It has a build of its own.
SANITIZE =
# Which parts `make test-night` has; empty for all, which take a night.
NIGHT =
# Not empty where `make test-build` has built what the other tests need, as .ci/run has it.
NO_BUILD =
# How often `make history` kills someone.
HISTORY_KILLS = 40
# What `make spin` gives to its check; for the long form --crashes 2 --liveness.
SPIN_OPTIONS =
# What `make bench` measures, and on which bus: rows and buses, separated by commas; empty for all.
ROWS =
BUSES =
# What `make bench-tap` gives to bench/tap.
TAP =
# `make faults` plays one of so many faults of each scenario; 1 for all, which takes half an hour.
EVERY = 60
# How many calls `make flood` makes on each bus; 10000000 for the long form.
CALLS = 60000
# What `make simulate` gives to the simulation: --seeds 300, --events 100000000, --seed 4711 --verbose. CONFIGURATION is
# how it is built: debug builds faster and runs slower. `make faults`, `make flood` and `make bench-check` have it, too: debug is then
# the build of the tests.
SIMULATION = --seeds 300
CONFIGURATION = release
# How many seconds `make fuzz` changes inputs of each target; 0 plays the corpora alone. And which targets; empty for all.
FUZZ_SECONDS = 5
FUZZ_TARGETS =
# What `make mutate` gives to reliability/simulation/mutate: --seeds 1000, or numbers of mutations.
MUTATIONS =
# Which D-Bus libraries of others `make foreign` has; empty for all that this machine can have.
LIBRARIES =
# What `make test-clients` tests: folders of clients/; empty for all.
PARTS =
# Not empty where `make test-clients` has the lines of all languages: some need compilers of their own.
LANGUAGES =
# How often `make test-machine` cuts the power.
CUTS = 3
# What `make shell` gives to examples/shell/session, and `make test-shell` to examples/shell/test/run.
SESSION =
SCENES =

bindir = $(PREFIX)/bin
userunitdir = $(PREFIX)/lib/systemd/user
generatordir = $(PREFIX)/lib/systemd/user-generators
datadir = $(PREFIX)/share
servicesdir = $(datadir)/dbus-1/services
interfacesdir = $(datadir)/dbus-1/interfaces
includedir = $(PREFIX)/include
# The system bus reads /etc/dbus-1/system.d, and /usr/share/dbus-1/system.d, but nothing below /usr/local.
policydir = $(if $(filter /usr,$(PREFIX)),$(datadir),/etc)/dbus-1/system.d
mandir = $(datadir)/man
docdir = $(datadir)/doc/flowbus
schemadir = $(datadir)/flowbus
bashdir = $(datadir)/bash-completion/completions
# Debian's zsh looks into vendor-completions below /usr, and into site-functions below /usr/local.
zshdir = $(datadir)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
fishdir = $(datadir)/fish/vendor_completions.d
# What takes symbols off installed programs; empty where something else does.
STRIP = -s

# The compiler, and programs that are tested, keep caches in the home folder, which a builder of Debian packages does not have.
ifneq ($(shell test -n "$$HOME" && mkdir -p "$$HOME/.cache" 2>/dev/null && test -w "$$HOME/.cache" && echo yes),yes)
export HOME := $(CURDIR)/.build/home
$(shell mkdir -p '$(HOME)')
endif

name = org.flowbus.Navigation1
# Where the programs are that `make install` takes.
built = .build/release
programs = $(built)/flowbusd $(built)/flowbusctl
completions = $(addprefix $(built)/completions/,bash zsh fish)
interfaces = $(wildcard dbus/$(name).*.xml)
documents = $(wildcard docs/*.md)
# Files with generated parts.
manual = $(wildcard man/*) $(documents)
schemas = $(wildcard schema/*.json)
# Definitions with their READMEs, and programs to read. The programs that play them need the repository, as the library does.
examples = $(filter-out examples/swift-app/%,$(wildcard examples/*/flows.d/*.toml examples/*/*.act.toml examples/*/README.md)) \
    $(wildcard examples/recipes/*/flows.toml examples/recipes/*/tour) \
    examples/car/vehicle \
    examples/drafts/draft \
    $(addprefix examples/phone/,logind screens) \
    $(addprefix examples/processes/,emit screens map till.c settings/Settings.swift) \
    $(addprefix examples/terminal/programs/,attendant build card-terminal customer machine page.py pages.css pay reader.c receipt)

# The tests of `make test-quick`: chosen by measuring, so that they take less than a minute after a build. HACKING.md lists what it
# leaves out.
quick = ^(FlowCore|FlowModel|FlowFile|FlowGraph|FlowTrace|FlowWire|Platform|SdBus|Store|flowbusctl)Tests\.
quick-service = ^flowbusdTests\.(Demo|Emission|Error|Guard|InstancePath|Introspection|ManualPage|Navigator|Option|Order|Owner|Pending|Presenter|Reload|Restore|Waiting)Tests/
quick-skipped = S-33|Random|MemoryTests|SilenceTests|after 15 s
quick-library = ^FlowBusTests\.(Adapt|Contributors|End|FlowCoordinator|Flows|Life|Stepper|StepTypes|Watch)Tests/

# Everything is built from the packages that `make vendor` has put there.
ifneq ($(wildcard vendor/.),)
export FLOWBUS_VENDOR = vendor
endif

# Builds of the programs for installation leave out the macros of the library, and with them swift-syntax; and frame pointers, as
# Debian's builds of C do: they cost the state machine 4 %, and debuggers and `perf record --call-graph dwarf` need none.
# They are the same in each folder: without a hash of each module, which covers its paths; with paths below this folder; and without
# debug information, which has other paths, and which the build ID of the linker covers although it is stripped later.
# The toolchain has a linker, and takes it only if told to: where the machine has no gold, GNU ld leaves RELRO out of these programs.
# With -z now that covers the table of functions in shared libraries, too.
swift-release = swift build -c release --omit-frame-pointers --traits Programs \
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
    -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. -Xlinker -S \
    -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now
# SwiftPM passes several traits to the compiler in the order of a Set, and compiles everything anew after another order.
swift-debug = $(if $(NO_BUILD),true,SWIFT_DETERMINISTIC_HASHING=1 swift build --traits Programs,Macros $(sanitized) $(no-overlays))
# What builds a program in CONFIGURATION.
build-program = $(if $(filter debug,$(CONFIGURATION)),FLOWBUS_PROOF=1 $(swift-debug),$(swift-release) --static-swift-stdlib) --product
# Debian's Swift 6.2 has the module that files with Testing and Foundation import by themselves, and not the library to link it with.
no-overlays = $(if $(wildcard $(toolchain)/lib/swift/linux/lib_Testing_Foundation.so),, \
    -Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays)
toolchain = $(dir $(realpath $(shell command -v swift)))..
sanitized = $(if $(SANITIZE),--sanitize=$(SANITIZE) --scratch-path .build/sanitize-$(SANITIZE))

# What `make install` puts where: FOLDER/FILE. Everything else here follows from it.
installed = \
    $(patsubst $(built)/%,$(bindir)/%,$(programs)) \
    $(userunitdir)/flowbusd.service \
    $(generatordir)/flowbus-generator \
    $(servicesdir)/$(name).service \
    $(patsubst dbus/%,$(interfacesdir)/%,$(interfaces)) \
    $(includedir)/flowbus-qt-types.h \
    $(policydir)/$(name).conf \
    $(foreach page,$(wildcard man/*),$(mandir)/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page))) \
    $(bashdir)/flowbusctl $(zshdir)/_flowbusctl $(fishdir)/flowbusctl.fish \
    $(patsubst schema/%,$(schemadir)/%,$(schemas)) \
    $(docdir)/copyright \
    $(addprefix $(docdir)/,$(notdir $(documents))) \
    $(patsubst %,$(docdir)/%,$(examples))

.PHONY: help demo tours run test test-build test-night test-quick test-windows optimized clients test-clients inspector swift-app own-actor \
    test-customers test-swift-app test-own-actor shell test-shell test-machine build install uninstall list vendor deb test-deb reproducible \
    format lint deps docs \
    bench-build bench bench-compare bench-check bench-update bench-tap bench-tap-check \
    reliability-build faults flood history spin rights user-manager foreign simulate mutate fuzz

help:
	@echo 'make demo       play the movie example: separate processes that navigate together'
	@echo 'make tours      play the other examples, and compare what they print with their logs'
	@echo 'make test       build and run the tests of the service, flowbusctl and the Swift library'
	@echo '                (SANITIZE=address, SANITIZE=thread: with a sanitizer, which takes much longer)'
	@echo 'make test-night try what takes too long for every change, with another seed each night (NIGHT="faults flood")'
	@echo 'make test-quick build, and run the most useful tests, for a minute'
	@echo 'make test-windows  compare the windows of examples with the tree, under X11 and Wayland'
	@echo 'make test-swift-app  build the example of an application in Swift, and compare what it prints with its log'
	@echo 'make swift-app  build the example of an application in Swift, in .build/swift-app'
	@echo 'make test-customers  have customers pay at the terminal, and see whether memory, processes or files grow (CUSTOMERS=10000, WINDOWS=yes)'
	@echo 'make test-own-actor  build a program in Swift whose flows leave its main thread alone, and compare what it prints'
	@echo 'make clients    build the libraries for GTK and Qt, and the programs in C beside flowbusd, in .build/clients'
	@echo 'make test-clients  test them, with private buses and a display that nobody sees (PARTS="glib inspector")'
	@echo 'make inspector  look at a running flowbusd (OPTIONS="--address unix:path=/run/user/1000/bus")'
	@echo 'make shell      show a small device of twelve programs in a window (SESSION="--x11 --dark"), or pictures of it'
	@echo 'make test-shell use that device as a person does, and kill its programs (SCENES="x11 tour")'
	@echo 'make run        run flowbusd in the foreground: on the session bus, or on a private one where there is none'
	@echo '                (OPTIONS="$(OPTIONS)")'
	@echo 'make build      build the release'
	@echo 'make install    install the release below PREFIX ($(PREFIX)), staged in DESTDIR'
	@echo 'make uninstall  remove what install put there'
	@echo 'make vendor     put the packages that the programs are built from into vendor/, for builds without a network'
	@echo 'make deb        build the Debian package, in .build/deb'
	@echo 'make test-deb   install, use and purge the package in a private copy of the system'
	@echo 'make test-machine  install the packages on a machine in qemu, boot it to a kiosk, kill its parts and cut its power (CUTS=50)'
	@echo 'make format     format the Swift sources in place'
	@echo 'make lint       check sources, scripts, XML, man pages and the unit'
	@echo 'make bench      count what calls cost, beside a service in C that does nothing (ROWS=none,screen BUSES=dbus-broker)'
	@echo 'make bench-check   fail if a call takes over 2 % more system calls or 10 % more instructions than before'
	@echo 'make bench-update  write down what calls cost now, for bench-check and in docs/performance.md'
	@echo 'make bench-tap  measure a tap until the display shows the next screen, beside the same programs in one process'
	@echo '                (TAP="--on sway --runs 3")'
	@echo 'make bench-tap-check  fail if a tap has more messages or system calls than before'
	@echo 'make faults     have a system call of flowbusd fail, or kill it there, in nine scenarios: each $(EVERY)th (EVERY=1 for all)'
	@echo 'make flood      flood flowbusd with $(CALLS) calls of all sorts, on each bus (CALLS=10000000)'
	@echo 'make history    decide whether what killed clients of a killed service saw has an order (HISTORY_KILLS=1000)'
	@echo 'make spin       verify the model of tokens, owners and restarts, and hold recorded traces against it'
	@echo 'make rights     try what a sandbox, another user, and another client can do, and search for private arguments'
	@echo 'make foreign    have programs with the D-Bus libraries of other people emit steps and show a screen (LIBRARIES="GJS godbus")'
	@echo 'make user-manager  kill, stop, restart and upgrade the service under a real systemd --user'
	@echo 'make reproducible  build the Debian packages twice, in different surroundings, and compare them'
	@echo 'make simulate   run flowbusd on a simulated bus and disk, by seeds (SIMULATION="$(SIMULATION)")'
	@echo 'make mutate     find out whether the simulation notices mistakes that are made on purpose'
	@echo 'make fuzz       try changes of inputs, guided by the code that they reach (FUZZ_SECONDS=600 FUZZ_TARGETS="events definitions")'
	@echo 'make docs       write generated files: parts of man pages and documents, pictures, the documentation of the Swift library'
	@echo 'make deps       install what building, the demo and the tests need'

# Of the programs it needs flowbusd alone, in the build that takes a quarter of the release's time; beside that of the tests, which has
# other traits.
demo:
	@tools/dependencies build demo
	swift build --traits Programs --scratch-path .build/demo --product flowbusd
	@FLOWBUSD=.build/demo/debug/flowbusd examples/movies/demo

tours: build swift-app
	@tools/dependencies demo examples
	$(swift-release) --product example-settings --static-swift-stdlib
	@for tour in examples/*/tour; do \
	    echo "$$tour"; "$$tour" >.build/tour.log && diff .build/tour.log "$$(dirname "$$tour")/expected.log" || exit; done

run: build
	@tools/dependencies demo
	@tools/run .build/release/flowbusd $(OPTIONS)

define build-programs =
@tools/dependencies build
$(swift-release) --product flowbusd --static-swift-stdlib
$(swift-release) --product flowbusctl --static-swift-stdlib
endef

build:
	$(build-programs)
	@$(MAKE) --no-print-directory $(completions)

# Not by `swift test`, which keeps SwiftPM's lock: nothing else could be built meanwhile.
run-tests = FLOWBUS_PROOF=1 FLOWBUS_SEQUENCES=$(SEQUENCES) FLOWBUS_CYCLES=$(CYCLES) FLOWBUS_KILLS=$(KILLS) \
    $(if $(SANITIZE),tools/sanitized $(SANITIZE)) \
    tools/run-tests .build/$(if $(SANITIZE),sanitize-$(SANITIZE)/)debug/flowbusPackageTests.xctest

# What the other tests need, too: all programs, and the tests.
test-build:
	@tools/dependencies build demo examples tests
	$(if $(SANITIZE),@tools/sanitized $(SANITIZE) true)
	FLOWBUS_PROOF=1 $(swift-debug) --build-tests

test: export BEGAN := $(shell date +%s)
test: test-build
	$(if $(SANITIZE),,@tools/documentation)
	@$(run-tests) $(TEST_OPTIONS)

# What rarely finds what .ci/run does not.
test-night:
	@tools/night $(NIGHT)

test-quick: SEQUENCES = 2000
test-quick:
	@tools/dependencies build demo tests
	FLOWBUS_PROOF=1 $(swift-debug) --build-tests
	@$(run-tests) --filter '$(quick)' --filter '$(quick-service)' --skip '$(quick-skipped)'
	@$(run-tests) --filter '$(quick-library)'

# The core as a release compiles it: the optimizer can fail where no debug build does.
optimized:
	@mkdir -p .build/optimized
	swiftc -O -whole-module-optimization -swift-version 6 -parse-as-library -module-name FlowCore -package-name flowbus \
	    -c $$(find Sources/FlowCore -name '*.swift') -o .build/optimized/FlowCore.o

# Apart from `make test`, because it needs a compositor and a window manager.
test-windows:
	@tools/dependencies build demo run stacker windows
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	@clients/build run stacker
	@FLOWBUSD=.build/debug/flowbusd stacker/tests/test
	@FLOWBUSD=.build/debug/flowbusd examples/drafts/test

# The libraries of clients/, which the service and its tests do not need.
clients:
	@tools/dependencies clients lines run stacker lock qml mqtt
	@clients/build

test-clients:
	@tools/dependencies build demo clients lines run stacker test-clients $(if $(filter lock,$(or $(PARTS),lock)),lock) \
	    $(if $(filter-out glib python inspector lines mqtt run stacker session lock device,$(or $(PARTS),qml)),qml) \
	    $(if $(filter mqtt,$(or $(PARTS),mqtt)),mqtt) $(if $(LANGUAGES),languages) \
	    $(if $(filter templates,$(or $(PARTS),templates)),templates)
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusctl
	@clients/build $(filter-out python examples templates device,$(PARTS))
	@LANGUAGES='$(LANGUAGES)' clients/test $(PARTS)

# The window that shows what a running flowbusd does, from this folder.
inspector: OPTIONS =
inspector:
	@tools/dependencies clients test-clients
	@clients/build glib
	@clients/inspector/run $(OPTIONS)

# The package that depends on this one, as an application of yours does; with the versions that this one has resolved.
swift-app:
	@tools/dependencies build
	if [ -e Package.resolved ]; then cp Package.resolved examples/swift-app; fi
	swift build --package-path examples/swift-app --scratch-path .build/swift-app

# The same for the trait OwnActor, with which the library is another one.
own-actor:
	@tools/dependencies build
	if [ -e Package.resolved ]; then cp Package.resolved Tests/OwnActor; fi
	swift build --package-path Tests/OwnActor --scratch-path .build/own-actor

# A device with windows. What it needs is built first, in .build/clients and .build/examples.
shell: build
	@tools/dependencies demo clients stacker qml shell
	@clients/build glib stacker qml
	@examples/shell/build
	@examples/shell/show $(SESSION)

test-shell:
	@tools/dependencies build demo clients stacker qml shell test-shell
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusctl
	@clients/build glib stacker qml
	@examples/shell/build
	@FLOWBUSD=.build/debug/flowbusd FLOWBUSCTL=.build/debug/flowbusctl examples/shell/test/run $(SCENES)

# How many customers pay at examples/terminal, one after the other. WINDOWS=yes has them do so in its windows.
test-customers: CUSTOMERS = 10000
test-customers:
	@tools/dependencies build demo clients lines run stacker windows test-clients
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusctl
	@clients/build glib lines run stacker
	@examples/terminal/tests/test --customers $(CUSTOMERS) $(if $(WINDOWS),--windows)

# With the programs of the debug build, as `make test` makes it.
test-swift-app: swift-app
	@tools/dependencies demo
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusctl
	@FLOWBUSD=.build/debug/flowbusd examples/swift-app/tour >.build/tour.log
	diff .build/tour.log examples/swift-app/expected.log
	clients/templates/test swift

test-own-actor: own-actor
	@tools/dependencies demo
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUSD=.build/debug/flowbusd Tests/OwnActor/test

# The Swift library's documentation is in .build/documentation; `make test` looks for warnings, too.
# Tests compare the .dot with the definitions, and the .txt with what flowbusctl prints; the .svg is what this machine's
# Graphviz makes of them.
# The pictures of examples/shell stay where they would differ in the time alone.
# The man pages and documents have parts that are generated: interfaces, errors, limits, options and commands.
docs:
	@tools/dependencies build demo clients stacker qml shell test-shell docs
	$(swift-debug) --product flowbusctl
	$(swift-debug) --target FlowBusClient
	$(swift-debug) --target FlowBusTesting
	@tools/documentation
	$(swift-debug) --product flowbusd
	$(swift-debug) --product flowbus-manual
	.build/debug/flowbus-manual dbus $(manual)
	tools/dependencies --table | sed -i -e '/^<!-- packages -->$$/r /dev/stdin' -e '/^<!-- packages -->$$/,/^<!-- end -->$$/{/^|/d}' HACKING.md
	.build/debug/flowbusctl graph examples/movies/flows.d > docs/movies.dot
	tools/picture docs/movies.dot docs/movies.txt > docs/movies.svg
	clients/build glib stacker qml
	examples/shell/build
	FLOWBUSD=.build/debug/flowbusd FLOWBUSCTL=.build/debug/flowbusctl examples/shell/show --pictures docs/shell
	FLOWBUSD=.build/debug/flowbusd FLOWBUSCTL=.build/debug/flowbusctl clients/inspector/picture docs/inspector.png

deps:
	@tools/dependencies build demo examples tests windows docs deb bench taps lint clients test-clients lock qml shell test-shell reliability simulation

format:
	@tools/sources '*.swift' | xargs -0 swift format format --in-place --parallel

lint:
	@tools/dependencies lint
	@tools/lint

# Builds only where there is nothing yet: `make build && sudo make install` needs no Swift for root.
install: $(programs) $(completions)
	install -d $(foreach folder,$(sort $(dir $(installed))),'$(DESTDIR)$(folder)')
	install $(STRIP) -m 755 $(programs) '$(DESTDIR)$(bindir)'
	ln -sfr '$(DESTDIR)$(bindir)/flowbusctl' '$(DESTDIR)$(generatordir)/flowbus-generator'
	sed 's|@bindir@|$(bindir)|' systemd/flowbusd.service.in > '$(DESTDIR)$(userunitdir)/flowbusd.service'
	sed 's|@bindir@|$(bindir)|' dbus/$(name).service.in > '$(DESTDIR)$(servicesdir)/$(name).service'
	chmod 644 '$(DESTDIR)$(userunitdir)/flowbusd.service' '$(DESTDIR)$(servicesdir)/$(name).service'
	install -m 644 $(interfaces) '$(DESTDIR)$(interfacesdir)'
	install -m 644 dbus/flowbus-qt-types.h '$(DESTDIR)$(includedir)'
	install -m 644 dbus/$(name).conf '$(DESTDIR)$(policydir)'
	for page in man/*; do install -m 644 "$$page" '$(DESTDIR)$(mandir)'/man"$${page##*.}" || exit; done
	install -m 644 $(built)/completions/bash '$(DESTDIR)$(bashdir)/flowbusctl'
	install -m 644 $(built)/completions/zsh '$(DESTDIR)$(zshdir)/_flowbusctl'
	install -m 644 $(built)/completions/fish '$(DESTDIR)$(fishdir)/flowbusctl.fish'
	install -m 644 $(schemas) '$(DESTDIR)$(schemadir)'
	install -m 644 LICENSE '$(DESTDIR)$(docdir)/copyright'
	install -m 644 $(documents) '$(DESTDIR)$(docdir)'
	for file in $(examples); do install -m 644 "$$file" '$(DESTDIR)$(docdir)'/"$$file" || exit; done

# Of the folders, those that are for this alone.
uninstall:
	rm -f $(foreach file,$(installed),'$(DESTDIR)$(file)')
	for folder in $(sort $(dir $(examples))); do \
	    (cd '$(DESTDIR)$(docdir)' 2>/dev/null && rmdir -p "$$folder" 2>/dev/null) || true; done
	for folder in '$(DESTDIR)$(docdir)' '$(DESTDIR)$(schemadir)'; do rmdir "$$folder" 2>/dev/null || true; done

# The files that install puts in place, a line each.
list:
	@printf '%s\n' $(foreach file,$(installed),'$(DESTDIR)$(file)')

# Not with the target 'build', which makes the completions: they need these, and 'make -n' would never end.
$(programs) &:
	$(build-programs)

# Shells read it and never execute it, so its first line names no interpreter.
$(completions): $(built)/completions/%: $(built)/flowbusctl
	@mkdir -p $(@D)
	@file=$@.$$$$; $< --generate-completion-script $* >$$file && sed -i '1{/^#!/d}' $$file && mv $$file $@

vendor: export FLOWBUS_VENDOR =
vendor:
	@tools/dependencies build
	@tools/vendor

# Not the folder above, where dpkg-buildpackage puts things by itself.
deb:
	@tools/dependencies build deb
	@tools/deb

# Succeeds with a message if the machine can't run it.
test-deb: deb
	@Tests/package.bash .build/deb/*.deb || [ $$? -eq 77 ]

# The packages of this release of Debian, on Debian 13.
test-machine: deb
	@tools/dependencies machine
	@tools/machine --cuts $(CUTS)

bench-build:
	@tools/dependencies build demo bench
	$(swift-release) --product flowbusd --static-swift-stdlib
	$(swift-release) --product core-bench --static-swift-stdlib
	$(swift-release) --product library-bench --static-swift-stdlib
	$(swift-release) --product test-bus --static-swift-stdlib

# Everything that is built and written is in .build. A wrong name is found before anything is built.
bench:
	@tools/dependencies bench
	@bench/table --rows '$(ROWS)' --buses '$(BUSES)' --names >/dev/null
	@$(MAKE) --no-print-directory bench-build
	@bench/table --rows '$(ROWS)' --buses '$(BUSES)'

# Whether the service that flowbusd is compared with sends the same messages.
bench-compare: bench-build
	@bench/compare

# Counts alone, no times. The counts are in bench/counts.ARCHITECTURE.json. With CONFIGURATION=debug, as .ci/run has it, no instructions.
bench-check:
	@tools/dependencies build demo bench
	$(build-program) flowbusd
	@CONFIGURATION=$(CONFIGURATION) bench/compare
	@CONFIGURATION=$(CONFIGURATION) bench/check $(if $(filter debug,$(CONFIGURATION)),--system-calls)

# A tap, as a person feels it: until the display shows the next screen.
bench-tap:
	@tools/dependencies build demo clients stacker taps
	$(swift-release) --product flowbusd --static-swift-stdlib
	@bench/tap $(TAP)

# Its messages and system calls, with the build of the tests. It takes a minute.
bench-tap-check:
	@tools/dependencies build demo clients stacker taps
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	@FLOWBUSD=.build/debug/flowbusd bench/tap --check

# After a change of what calls cost: writes the table of docs/performance.md, and the counts.
bench-update: bench-build
	@bench/table --document
	@bench/check --update

reliability-build:
	@tools/dependencies build demo reliability
	$(build-program) flowbusd
	$(build-program) test-bus

tried = $(if $(filter debug,$(CONFIGURATION)),FLOWBUSD=.build/debug/flowbusd TEST_BUS=.build/debug/test-bus)

# docs/reliability.md says what the long forms have shown. Both print a seed, with which --seed repeats them. Faults are skipped, with
# a message, where strace can't trace.
faults: reliability-build
	@$(tried) reliability/faults/run --every $(EVERY) || [ $$? -eq 77 ]

flood: reliability-build
	@$(tried) reliability/flood/run --calls $(CALLS)

history:
	@tools/dependencies build demo reliability
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	@reliability/history/test
	@reliability/history/run --kills $(HISTORY_KILLS)
	@reliability/history/run --kills 20 --fault old-store
	@reliability/history/run --kills 20 --fault no-store
	@reliability/history/run --kills 20 --fault new-tokens

spin:
	@tools/dependencies build demo reliability
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	@rm -rf .build/traces
	@reliability/history/run --kills $(HISTORY_KILLS) --keep .build/traces
	@reliability/spin/check --traces .build/traces $(SPIN_OPTIONS)

# Without root, the part with two users is skipped with a message.
rights:
	@tools/dependencies build demo reliability
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	@reliability/rights/proxy
	@reliability/rights/identity
	@reliability/rights/private
	@reliability/rights/users || [ $$? -eq 77 ]

# Succeeds with a message if the machine can't run a user manager.
user-manager:
	@tools/dependencies build demo reliability
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusctl
	@reliability/user/run || [ $$? -eq 77 ]

# `make deps` leaves out what it needs: hundreds of packages.
foreign:
	@tools/dependencies build demo reliability foreign
	FLOWBUS_PROOF=1 $(swift-debug) --product flowbusd
	FLOWBUS_PROOF=1 $(swift-debug) --product test-bus
	@TEST_BUS=.build/debug/test-bus reliability/foreign/run $(LIBRARIES)

reproducible:
	@tools/dependencies build deb
	@reliability/reproducible/run

simulate:
	@tools/dependencies build simulation
	@CONFIGURATION=$(CONFIGURATION) reliability/simulation/build
	@reliability/simulation/run $(SIMULATION)

mutate:
	@tools/dependencies build simulation
	@reliability/simulation/mutate $(MUTATIONS)

fuzz:
	@tools/dependencies build simulation
	@reliability/fuzz/build
	@reliability/fuzz/run --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)
