# flowbus: `make help` tells the targets. Needs Swift 6.3 in PATH; what else is missing, tools/dependencies installs.

PREFIX = /usr/local
DESTDIR =
# What `make run` gives to flowbusd.
OPTIONS = --flows examples/movies/flows.d
# What `make test` gives to `swift test`, for instance --filter NamesTests.
TEST_OPTIONS =
# How many random lives `make test` compares with the model of the rules.
SEQUENCES = 100000
# How often `make test` kills flowbusd in each test that does.
KILLS = 20

bindir = $(PREFIX)/bin
userunitdir = $(PREFIX)/lib/systemd/user
datadir = $(PREFIX)/share
servicesdir = $(datadir)/dbus-1/services
interfacesdir = $(datadir)/dbus-1/interfaces
# The system bus reads /etc/dbus-1/system.d, and /usr/share/dbus-1/system.d, but nothing below /usr/local.
policydir = $(if $(filter /usr,$(PREFIX)),$(datadir),/etc)/dbus-1/system.d
mandir = $(datadir)/man
docdir = $(datadir)/doc/flowbus

name = org.flowbus.Navigation1
program = .build/release/flowbusd
interfaces = $(wildcard dbus/$(name).*.xml)
examples = $(wildcard examples/*/flows.d/*.toml)

.PHONY: help demo tours run test build install uninstall format lint deps

help:
	@echo 'make demo       play the movie example: separate processes that navigate together'
	@echo 'make tours      play the other examples, and compare what they print with their logs'
	@echo 'make test       build and run all tests'
	@echo 'make run        run flowbusd in the foreground: on the session bus, or on a private one where there is none'
	@echo '                (OPTIONS="$(OPTIONS)")'
	@echo 'make build      build the release'
	@echo 'make install    install the release below PREFIX ($(PREFIX)), staged in DESTDIR'
	@echo 'make uninstall  remove what install put there'
	@echo 'make format     format the Swift sources in place'
	@echo 'make lint       check sources, scripts, XML, man pages and the unit'
	@echo 'make deps       install what building, the demo and the tests need'

demo: build
	@tools/dependencies demo
	@examples/movies/demo

tours: build
	@tools/dependencies demo examples
	swift build -c release --product example-settings --static-swift-stdlib
	@for tour in examples/*/tour; do \
	    echo "$$tour"; "$$tour" >.build/tour.log && diff .build/tour.log "$$(dirname "$$tour")/expected.log" || exit; done

run: build
	@tools/dependencies demo
	@tools/run $(program) $(OPTIONS)

build:
	@tools/dependencies build
	swift build -c release --product flowbusd --static-swift-stdlib

test:
	@tools/dependencies build demo examples
	FLOWBUS_PROOF=1 swift build --build-tests
	FLOWBUS_PROOF=1 FLOWBUS_SEQUENCES=$(SEQUENCES) FLOWBUS_KILLS=$(KILLS) swift test --skip-build $(TEST_OPTIONS)

deps:
	@tools/dependencies build demo examples lint

format:
	@tools/sources '*.swift' | xargs -0 swift format format --in-place --parallel

lint:
	@tools/dependencies lint
	@tools/lint

# Builds only where there is nothing yet: `make build && sudo make install` needs no Swift for root.
install: $(program)
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(userunitdir)' '$(DESTDIR)$(servicesdir)' \
	    '$(DESTDIR)$(interfacesdir)' '$(DESTDIR)$(policydir)' '$(DESTDIR)$(mandir)/man5' '$(DESTDIR)$(mandir)/man8' \
	    '$(DESTDIR)$(docdir)'
	install -s -m 755 $(program) '$(DESTDIR)$(bindir)/flowbusd'
	sed 's|@bindir@|$(bindir)|' systemd/flowbusd.service.in > '$(DESTDIR)$(userunitdir)/flowbusd.service'
	sed 's|@bindir@|$(bindir)|' dbus/$(name).service.in > '$(DESTDIR)$(servicesdir)/$(name).service'
	chmod 644 '$(DESTDIR)$(userunitdir)/flowbusd.service' '$(DESTDIR)$(servicesdir)/$(name).service'
	install -m 644 $(interfaces) '$(DESTDIR)$(interfacesdir)'
	install -m 644 dbus/$(name).conf '$(DESTDIR)$(policydir)'
	install -m 644 man/flowbus-flows.5 '$(DESTDIR)$(mandir)/man5'
	install -m 644 man/flowbusd.8 '$(DESTDIR)$(mandir)/man8'
	install -m 644 LICENSE '$(DESTDIR)$(docdir)/copyright'
	install -m 644 docs/semantics.md docs/rxflow.md docs/processes.md docs/durability.md '$(DESTDIR)$(docdir)'
	for file in $(examples); do install -D -m 644 "$$file" '$(DESTDIR)$(docdir)'/"$$file" || exit; done

uninstall:
	rm -f '$(DESTDIR)$(bindir)/flowbusd' '$(DESTDIR)$(userunitdir)/flowbusd.service' \
	    '$(DESTDIR)$(servicesdir)/$(name).service' \
	    $(patsubst dbus/%,'$(DESTDIR)$(interfacesdir)/%',$(interfaces)) \
	    '$(DESTDIR)$(policydir)/$(name).conf' \
	    '$(DESTDIR)$(mandir)/man5/flowbus-flows.5' '$(DESTDIR)$(mandir)/man8/flowbusd.8' \
	    '$(DESTDIR)$(docdir)/copyright' '$(DESTDIR)$(docdir)/semantics.md' '$(DESTDIR)$(docdir)/rxflow.md' \
	    '$(DESTDIR)$(docdir)/processes.md' '$(DESTDIR)$(docdir)/durability.md' \
	    $(patsubst %,'$(DESTDIR)$(docdir)/%',$(examples))
	for folder in $(sort $(patsubst %/,%,$(dir $(examples)))); do \
	    (cd '$(DESTDIR)$(docdir)' 2>/dev/null && rmdir -p "$$folder" 2>/dev/null) || true; done
	rmdir '$(DESTDIR)$(docdir)' 2>/dev/null || true

$(program):
	@$(MAKE) build
