# shellcheck shell=bash
# What the tours share. A tour reads this file, which starts a D-Bus of its own, a watcher, and flowbusd with the tour's
# flows.d, if it has one. Then it runs the example with the verbs below. What it prints is always the same, so that it can
# be compared with expected.log:
#
#   # …                             a comment of the tour
#   did navigate flow=… step=…      NavigationOccurred
#   went back flow=… from=…         NavigationOccurred of a Back that dismissed something
#   failed flow=… step=…: …         NavigationFailed, with the verdict or the error
#   emit … → …                      the answer to a call, unless it is 'navigated' or 'done'
#   … shows …                       what is presented
#   NAME started, NAME ended        a program that the bus starts came, or is gone; NAME is its bus name
#   NAME shows …                    it made that screen visible
#   … has NAME in front             the current child of the flow that $fronts names is another one
#   NAME gets … → …                 StepConcluded: the outcome of a step whose answer was 'pending'
#
# The tour plays all the parts. It is the user, whose input emits steps, and it is the presenter, which makes each screen
# visible that a navigation contributes, unless the screen has a presenter of its own. Nothing sleeps or asks again: after
# each call the tour reads what the watcher saw on the bus up to the answer to one more call, so that nothing is missed and
# nothing comes too late.
#
# A tour with programs that the bus starts defines the function 'prepare' before it reads this file. That is called before
# the bus starts; it can use 'program_for', and has $dir for its files.
#
# FLOWBUSD names the flowbusd to use, instead of the release build's.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[1]}")" && pwd)
examples=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
top=$(cd -- "$examples/.." && pwd)
service=org.flowbus.Navigation1
root=/org/flowbus/Navigation1

if (($#)); then
    echo "usage: ${0##*/}   (FLOWBUSD names the flowbusd to use, instead of the release build's)" >&2
    exit 64
fi
program=${FLOWBUSD:-$top/.build/release/flowbusd}
if [[ ! -x $program ]]; then
    echo "tour: there is no $program; run 'make build', or name another by FLOWBUSD" >&2
    exit 1
fi

tour_seconds=60      # A bound on failure; a tour takes a few seconds.
deadline=$((SECONDS + tour_seconds))
bus='' flowbusd=''   # Their processes, while they run.
posts=0              # How many steps were emitted with a token.
navigations=0        # How many navigations the watcher reported.
killed=''            # Whether the tour has just killed flowbusd.
failed=''            # The latest NavigationFailed that was printed.
to_show=()           # The screens that nobody showed yet.
others=()            # More processes, which are ended with the bus.
asked=''             # The call that is under way,
recent=()            # and what the watcher reported since it was made.
declare -A types     # The type of each argument of each step: [moviePicked.movieId]=x
declare -A owners    # For each bus name that the tour owns, the descriptor to write calls to.
declare -A answers   # The answer to the latest call, of the tour itself: [tour], and of each bus name that calls.
declare -A shown     # Screens that their presenters showed.
declare -A begun     # What the owner of a bus name asked, and goes on without the answer.
fronts=${fronts-}    # The flow whose current child is printed whenever it changes.
declare -A showers   # The bus name that the screens of a flow are shown by, where that is not the tour: [payment]

dir=$(mktemp -d "${TMPDIR:-/tmp}/flowbus-tour.XXXXXX")
masks=$dir/flows.d   # Comes before the tour's own flows.d: a file here hides the one of the same name there.
services=$dir/services # What the bus can start.

trap 'clear_up' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# flowbusd goes first, so that it can take its leave; when the bus goes, all who are on it end by themselves. The programs
# that it started have its standard output: that ends with the last of them.
clear_up() {
    local status=$? calls
    trap - EXIT
    trap '' HUP INT TERM
    for calls in "${owners[@]}"; do exec {calls}>&-; done
    if [[ $flowbusd ]] && kill -TERM "$flowbusd" 2>/dev/null; then wait "$flowbusd" || status=$?; fi
    if [[ $bus ]]; then kill -TERM "$bus" 2>/dev/null || true; fi
    if [[ ${running-} ]] && ! timeout 5 cat <&"$running" >/dev/null; then
        echo "tour: a program that the bus started did not end within 5 seconds" >&2
        status=1
    fi
    if ((${#others[@]})); then kill -TERM "${others[@]}" 2>/dev/null || true; fi
    wait
    rm -rf -- "$dir"
    exit "$status"
}

fail() {
    echo "tour: $1"
    if [[ -s $dir/log ]]; then
        echo "tour: what the bus, the watcher and flowbusd said:"
        sed 's/^/    /' "$dir/log"
    fi
    exit 1
} >&2

# The watcher: what happens on the bus, a line each.
watch() {
    local match matches=()
    for match in "type='signal',sender='$service',interface='$service.Flow'" "type='method_return',sender='$service'" \
        "type='error',sender='$service'" "type='signal',sender='$service',interface='$service.Stepper'" \
        "type='signal',sender='$service',interface='org.freedesktop.DBus.Properties',arg0='$service.Presentable'" \
        "type='signal',sender='$service',interface='org.freedesktop.DBus.Properties',arg0='$service.Flow'" \
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'" \
        "type='error',sender='org.freedesktop.DBus',arg0='Message recipient disconnected from message bus without replying'"; do
        matches+=(--match="$match")
    done
    # Who has a bus name is known by it: $names has the bus name for a connection, $owners that of a screen's owner.
    # shellcheck disable=SC2016  # the dollars are jq's
    busctl --user monitor --json=short "${matches[@]}" | jq --null-input --unbuffered --raw-output '
        def short: ltrimstr("org.flowbus.Navigation1.Error.") | ltrimstr("org.freedesktop.DBus.Error.");
        def below: ltrimstr("/org/flowbus/Navigation1/tree/");
        def values: [.[].data | tostring] | if . == [] then "" else "(\(join(", ")))" end;
        foreach inputs as $message ({names: {}, owners: {}};
            $message.payload.data as $data
            | if $message.member == "NameOwnerChanged" then
                if ($data[0] | startswith(":")) or $data[2] == "" then . else .names[$data[2]] = $data[0] end
              elif $message.member == "PropertiesChanged" and $data[1].Owner then
                .owners[$message.path] = .names[$data[1].Owner.data]
              else . end;
            . as {$names, $owners} | $message | ($names[.destination // ""] // "tour") as $caller
        | .payload.type as $type | .payload.data as $data | ((.path // "") | split("/") | last) as $flow
        | if .member == "NavigationOccurred" then
            if $data[5][0][0] == "back" then "went back flow=\($flow) from=\($data[5][0][1])"
            else "did navigate flow=\($flow) step=\($data[3])\($data[4] | values)"
            end,
            ($data[5][] | select(.[0] == "screen") | "show \(.[2])")
          elif .member == "NavigationFailed" then "failed flow=\($flow) step=\($data[2]): \($data[3] + ($data[4] | short))"
          elif .member == "NameOwnerChanged" then
            if $data[0] == "org.flowbus.Navigation1" then "owner \($data[2])"
            elif $data[0] | startswith(":") then empty
            elif $data[1] == "" then "\($data[0]) started"
            elif $data[2] == "" then "\($data[0]) ended"
            else empty
            end
          elif .member == "PropertiesChanged" then
            if $data[1].Current then "\(.path | below) has \($data[1].Current.data | split("/") | last) in front"
            elif $data[1].Visible.data and $data[1].Presented.data and $owners[.path] then
              "\($owners[.path]) shows \(.path | below)"
            else empty
            end
          elif .member == "StepConcluded" then "\($caller) gets \($data[0]) → \($data[2] + ($data[3] | short))"
          elif .type == "error" then "answer to \($caller): \(.error_name | short)"
          elif $type == "t" then "serial \($data[0])"
          elif $type == "ts" then "answer to \($caller): \($data[1])"
          elif $type == "a(otsss)" then
            [$data[0][] | "\(.[0] | below) \(.[2] + (.[3] | short))" | rtrimstr(" ")] | "answer to \($caller): \(join(", "))"
          elif $type == "a(tsss)" then [$data[0][] | .[1] + (.[2] | short)] | "answer to \($caller): \(join(", "))"
          elif $type == "" or $type == "o" then "answer to \($caller): done"
          else empty
          end)'
}

# Reads the watcher's next line into $line; prints what is of the log, and keeps the screens that are to be shown.
next() {
    local left=$((deadline - SECONDS)) name
    if ((left <= 0)) || ! read -r -t "$left" -u "$watched" line; then
        fail "nothing more happened after '$asked' (a tour takes at most $tour_seconds seconds)"
    fi
    recent+=("$line")
    case $line in
        "did navigate "* | "went back "*)
            echo "$line"
            failed=''
            navigations=$((navigations + 1)) ;;
        "failed "*)
            # A timer tries again and again, as often as there is time for it: once is enough for the log.
            if [[ $line != "$failed" ]]; then echo "$line"; fi
            failed=$line ;;
        "show "*)
            to_show+=("${line#show }")
            unset "shown[${line#show }]" ;;
        "answer to "*)
            name=${line#answer to }
            answers[${name%%: *}]=${name#*: } ;;
        *" started" | *" ended")
            if [[ -e $services/${line% *}.service ]]; then echo "$line"; fi ;;
        *" shows "*)
            echo "$line"
            shown[$root/tree/${line#* shows }]=yes ;;
        *" gets "*) echo "$line" ;;
        "$fronts has "*) echo "$line" ;;
        # The one that the tour started; or the one that has the name, which the bus may have started.
        ended) [[ ! $flowbusd ]] || fail "flowbusd ended" ;;
        owner) [[ $killed ]] || fail "flowbusd lost its name" ;;
    esac
}

# Shows what was contributed, as the presenters of an application would, and what that contributes, until all is calm:
# flowbusd answered all that was asked of it, and the watcher has seen it.
settle() {
    local screens screen flow name
    while :; do
        call "$root" "$service.Coordinator" GetSerial
        until
            next
            [[ $line == "serial "* ]]
        do :; done
        [[ $line == "serial $navigations" ]] ||
            fail "the watcher reported $navigations navigations, the coordinator counts ${line#serial }"
        ((${#to_show[@]})) || return 0
        screens=("${to_show[@]}")
        to_show=()
        for screen in "${screens[@]}"; do
            flow=${screen%/*} flow=${flow##*/}
            name=${showers[$flow]-}
            if [[ $(presenter "$screen") ]]; then
                # One that is out of sight is presented when it comes in sight.
                if in_sight "$screen"; then
                    until [[ -v shown[$screen] ]]; do next; done
                fi
            elif [[ $name ]]; then
                # The flow's emitters may show its screens, and nobody else.
                unset "answers[$name]"
                write_call "$name" "${screen#"$root/tree/"}" "$service.Presentable" SetVisible true
                until [[ -v answers[$name] ]]; do next; done
            else
                # One that is gone already is not shown.
                call "$screen" "$service.Presentable" SetVisible b true
            fi
        done
    done
}

# call OBJECT INTERFACE MEMBER [SIGNATURE [ARGUMENT]...]   The watcher reports the answer, errors too. With unattended=yes
# there is nobody who could be asked something on its way.
call() {
    local said options=()
    if [[ ${unattended-} ]]; then options=(--allow-interactive-authorization=no); fi
    said=$(busctl --user "${options[@]}" call -- "$service" "$@" 2>&1 >/dev/null) ||
        [[ $said == "Call failed: "* ]] || fail "$* → $said"
}

# presenter SCREEN   Prints the bus name of who is to show it, if anybody is.
presenter() {
    # Where nothing but the tour runs, it is the tour.
    if ! declare -F prepare >/dev/null; then return; fi
    busctl --user --json=short get-property "$service" "$1" "$service.Presentable" Presenter 2>/dev/null |
        jq --raw-output .data
}

# in_sight SCREEN   Whether nothing covers it.
in_sight() {
    [[ $(busctl --user get-property "$service" "$1" "$service.Presentable" InSight 2>/dev/null) == "b true" ]]
}

# ask TEXT COMMAND...   Makes a call, prints its answer where that is worth it, and settles. It is the call of the owner of
# $caller, where that is set.
ask() {
    asked=$1 recent=()
    shift
    unset "answers[${caller:-tour}]"
    "$@"
    until [[ -v answers[${caller:-tour}] ]]; do next; done
    case ${answers[${caller:-tour}]} in
        navigated | done) ;;
        *) echo "$asked → ${answers[${caller:-tour}]}" ;;
    esac
    settle
}

# Puts the arguments of a step, given as NAME=VALUE, into $given as busctl wants them.
give() {
    local step=$1 argument name
    shift
    given=("$#")
    for argument in "$@"; do
        name=${argument%%=*}
        given+=("$name" "${types[$step.$name]:-s}" "${argument#*=}")
    done
}

# The verbs. A PATH is that of a flow or screen, below the tree: main/wishlist/movieList.

# narrate TEXT   Prints a comment.
narrate() { echo "# $1"; }

# emit PATH STEP [NAME=VALUE]...   Emits a step on a flow or screen.
emit() {
    local path=$1 step=$2 given
    give "${@:2}"
    ask "emit ${*:2} on $path" call "$root/tree/$path" "$service.Stepper" EmitStep 'sa{sv}' "$step" "${given[@]}"
}

# emit_all PATH STEP...   Emits steps that need no arguments, or STEP:NAME=VALUE, in one call.
emit_all() {
    local path=$1 step given all=()
    for step in "${@:2}"; do
        if [[ $step == *:* ]]; then give "${step%%:*}" "${step#*:}"; else give "$step"; fi
        all+=("${step%%:*}" "${given[@]}")
    done
    ask "emit ${*:2} on $path" call "$root/tree/$path" "$service.Stepper" EmitSteps 'a(sa{sv})' $(($# - 1)) "${all[@]}"
}

# back PATH   The user goes back.
back() { ask "back on $1" call "$root/tree/$1" "$service.Flow" Back; }

# dismiss PATH   Whoever shows it closed it.
dismiss() { ask "dismiss $1" call "$root/tree/$1" "$service.Presentable" Dismiss; }

# choose PATH   The user chooses a tab.
choose() { ask "choose $1" call "$root/tree/$1" "$service.Presentable" SetVisible b true; }

# navigate STEP [NAME=VALUE]...   A deep link to all flows.
navigate() {
    local given
    give "$@"
    ask "navigate $*" call "$root" "$service.Coordinator" Navigate 'sa{sv}a{sv}' "$1" "${given[@]}" 0
}

# along FLOW [STEP [NAME=VALUE]...] [/ FLOW ...]...   A deep link along a path of flows.
along() {
    local given words=() segment=() word count=0
    for word in "$@" /; do
        if [[ $word != / ]]; then
            segment+=("$word")
            continue
        fi
        give "${segment[1]-}" "${segment[@]:2}"
        words+=("${segment[0]}" "${segment[1]-}" "${given[@]}")
        segment=()
        count=$((count + 1))
    done
    ask "along $*" call "$root" "$service.Coordinator" NavigateAlong 'a(ssa{sv})a{sv}' "$count" "${words[@]}" 0
}

# start FLOW [ID]   Starts a root.
start() {
    local options=(0)
    if (($# > 1)); then options=(1 id s "$2"); fi
    ask "start $*" call "$root" "$service.Coordinator" Coordinate 'ssa{sv}a{sv}' "$1" "" 0 "${options[@]}"
}

# aside COMMAND...   Does something else. What comes of it is left for 'await'.
aside() {
    asked=$* recent=()
    "$@" >/dev/null || fail "'$asked' failed"
}

# reload   Reads the definitions again.
reload() { aside busctl --user call -- "$service" "$root" "$service.Coordinator" Reload; }

# await LINE   Waits until the watcher reports this, unless it did since the latest call.
await() {
    local seen
    for seen in "${recent[@]}"; do
        if [[ $seen == "$1" ]]; then
            settle
            return
        fi
    done
    asked="await $1"
    until
        next
        [[ $line == "$1" ]]
    do :; done
    settle
}

# kill_flowbusd   Kills flowbusd, as a crash does, and waits for the one that the next call has the bus start; 'prepare' has
# given it a program for that.
kill_flowbusd() {
    asked="the end of flowbusd" recent=() killed=yes
    kill -KILL "$(process_of "$service")"
    if [[ $flowbusd ]]; then { wait "$flowbusd" || true; } 2>/dev/null; fi # No message of the shell.
    flowbusd=''
    until
        next
        [[ $line == owner ]]
    do :; done
    killed=''
    # Serials jump then.
    asked="the start of flowbusd"
    call "$root" "$service.Coordinator" GetSerial
    until
        next
        [[ $line == "serial "* ]]
    do :; done
    navigations=${line#serial }
}

# process_of NAME   Prints the process that owns this bus name.
process_of() {
    busctl --user --json=short call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus \
        GetConnectionUnixProcessID s "$1" | jq '.data[0]'
}

# program_for NAME PROGRAM [ARGUMENT]...   Has the bus start a program when a message to this bus name comes; 'prepare' calls
# it. This is what a package installs as /usr/share/dbus-1/services/NAME.service.
program_for() {
    [[ -x $2 ]] || fail "there is no program $2"
    printf '[D-BUS Service]\nName=%s\nExec=%s\n' "$1" "${*:2}" >"$services/$1.service"
}

# own NAME   Joins with a process that owns this bus name.
own() {
    local pipe=$dir/$1 calls
    mkfifo "$pipe"
    "$examples/owner" "$1" <"$pipe" >/dev/null 2>>"$dir/log" &
    exec {calls}>"$pipe"
    owners[$1]=$calls
}

# as NAME emit PATH STEP [NAME=VALUE]...    The same as without 'as NAME', but it is the owner of that bus name who calls;
# as NAME back PATH                         its arguments have to be strings.
# as NAME dismiss PATH
# as NAME start FLOW
# as NAME begin PATH STEP [NAME=VALUE]...   Emits a step, and goes on before it is answered. 'answer NAME' waits for that.
# as NAME post PATH STEP [NAME=VALUE]...    Emits a step with the option wait = false, and a token: the step's name and a
#                                           number. Its outcome is printed as 'NAME gets …'.
as() {
    local caller=$1 verb=$2 path=$3
    shift 3
    case $verb in
        emit) ask "emit $* on $path by $caller" write_call "$caller" "$path" "$service.Stepper" EmitStep "$@" ;;
        back) ask "back on $path by $caller" write_call "$caller" "$path" "$service.Flow" Back ;;
        dismiss) ask "dismiss $path by $caller" write_call "$caller" "$path" "$service.Presentable" Dismiss ;;
        start) ask "start $path by $caller" write_words "$caller" "$root" "$service.Coordinator" Coordinate "$path" ;;
        post)
            posts=$((posts + 1))
            ask "post $* on $path by $caller" \
                write_call "$caller" "$path" "$service.Stepper" EmitStepWithOptions "$@" / "token=$1-$posts" wait:=false ;;
        begin)
            begun[$caller]="emit $* on $path by $caller"
            unset "answers[$caller]"
            aside write_call "$caller" "$path" "$service.Stepper" EmitStep "$@" ;;
    esac
}

# answer NAME   Waits for the answer to what its owner has begun, and prints it.
answer() {
    asked=${begun[$1]}
    until [[ -v answers[$1] ]]; do next; done
    echo "$asked → ${answers[$1]}"
    settle
}

# write_call NAME PATH INTERFACE MEMBER [WORD]...   Has the owner of a bus name call a flow or screen.
write_call() { write_words "$1" "$root/tree/$2" "${@:3}"; }

# write_words NAME OBJECT INTERFACE MEMBER [WORD]...   One line, its words separated by tabs.
write_words() {
    local IFS=$'\t'
    echo "$service"$'\t'"${*:2}" >&"${owners[$1]}"
}

# All that is live.
objects() {
    busctl --user --json=short call -- "$service" "$root" org.freedesktop.DBus.ObjectManager GetManagedObjects
}

# For jq: the screens below a path, each with its text and whether it is presented.
# shellcheck disable=SC2016  # the dollars are jq's
listing='
    def screens($path):
        .data[0] | to_entries[] | select(.key | startswith("/org/flowbus/Navigation1/tree/\($path)/"))
        | select(.value["org.flowbus.Navigation1.Flow"] == null)
        | .value["org.flowbus.Navigation1.Presentable"]
        | {
            text: (.Name.data + ([.Arguments.data[].data | tostring] | if . == [] then "" else "(\(join(", ")))" end)),
            presented: .Presented.data
        };'

# look PATH   Prints the screens that are presented there.
look() {
    # shellcheck disable=SC2016  # the dollars are jq's
    objects | jq --raw-output --arg path "$1" "$listing"'
        [screens($path) | select(.presented) | .text]
        | "\($path) shows " + if . == [] then "nothing" else join(" and ") end'
}

# stack PATH   Prints all screens that are there, the oldest first.
stack() {
    # shellcheck disable=SC2016  # the dollars are jq's
    objects | jq --raw-output --arg path "$1" "$listing"'
        "\($path) has " + ([screens($path) | .text] | join(", "))'
}

# state PATH   Everything about a tree, to compare.
state() {
    # shellcheck disable=SC2016  # the dollars are jq's
    objects | jq --compact-output --arg path "$1" '
        .data[0] | with_entries(select(.key | startswith("/org/flowbus/Navigation1/tree/\($path)")))'
}

# The bus, the watcher, and flowbusd when that listens: it starts flows by itself.
mkdir "$masks" "$services"
mkfifo "$dir/address" "$dir/watched" "$dir/running" "$dir/said"
# The private bus starts no services, but those of this tour.
# What it keeps ends with the tour, and does not mix with what others keep.
options=(--flows "$masks" --runtime "$dir/tree" --state "$dir/history")
if [[ -d $here/flows.d ]]; then options+=(--flows "$here/flows.d"); fi
sed 's|</busconfig>|<servicedir>services</servicedir>&|' "$top/tools/private-bus.conf" >"$dir/bus.conf"
if declare -F prepare >/dev/null; then prepare; fi
exec {runs}<>"$dir/running"
exec {running}<"$dir/running"
exec {reports}<>"$dir/watched"
exec {watched}<"$dir/watched"
# What the bus says goes to the log. It says when the watcher really listens: busctl with --json does not, since systemd 257.
while read -r text; do
    echo "$text" >>"$dir/log"
    if [[ $text == *" became a monitor." ]]; then echo listens >&"$reports"; fi
done <"$dir/said" {runs}>&- {running}<&- {watched}<&- &
dbus-daemon --config-file="$dir/bus.conf" --nofork --nopidfile --address="unix:path=$dir/bus" \
    --print-address=3 3>"$dir/address" >"$dir/running" 2>"$dir/said" {runs}>&- {running}<&- {reports}>&- {watched}<&- &
bus=$!
exec {runs}>&-
read -r -t "$tour_seconds" DBUS_SESSION_BUS_ADDRESS <"$dir/address" || fail "the bus did not start"
export DBUS_SESSION_BUS_ADDRESS

watch 1>&"$reports" 2>>"$dir/log" &
asked="the start of the watcher"
until
    next
    [[ $line == listens ]]
do :; done

# It prints nothing; its standard output closes when it ends.
"$program" "${options[@]}" </dev/null > >(cat >/dev/null && echo ended >&"$reports") 2>>"$dir/log" &
flowbusd=$!
exec {reports}>&-
asked="the start of flowbusd"
until
    next
    [[ $line == "owner :"* ]]
do :; done
while IFS=$'\t' read -r argument type; do
    types[$argument]=$type
done < <(busctl --user --json=short call "$service" "$root" "$service.Coordinator" GetSteps |
    jq --raw-output '.data[0] | to_entries[] | .key as $step | .value | to_entries[]
        | "\($step).\(.key)\t\(.value | rtrimstr("?"))"')
settle
