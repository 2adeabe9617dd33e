#!/usr/bin/env bash
# The screen `item` over lines, in the shell with jq. The item 13 goes back, and a negative one fails.
set -euo pipefail
# shellcheck disable=SC2086  # a command with its words
coproc BUS { exec ${FLOWBUS_CONNECT:-flowbusctl connect}; }
say() { printf '%s\n' "$1" >&"${BUS[1]}"; }

say '{"serve": "com.example.Item"}'
while read -r line <&"${BUS[0]}"; do
    case $(jq -r '[keys[] | select(. == ("present", "withdraw", "error"))][0]' <<<"$line") in
        present)
            read -r call instance item seen < <(jq -r '[.call, .instance, .arguments.item, (.details.state.seen // 0) + 1] | @tsv' <<<"$line")
            say "{\"answer\": $call, \"visible\": true}"
            say "{\"save\": $instance, \"state\": {\"seen\": $seen}}"
            say "{\"show\": $instance, \"title\": \"Item $item, seen $seen\"}"
            if ((item < 0)); then
                say "{\"dismiss\": $instance, \"error\": \"com.example.Error.NoItem\", \"message\": \"there is no item $item\"}"
            elif ((item == 13)); then
                say "{\"back\": $instance}"
            fi
            ;;
        withdraw) jq -r '"withdrawn: \(.instance) \(.reason)"' <<<"$line" >&2 ;;
        error) jq -r '"error: \(.message)"' <<<"$line" >&2 ;;
    esac
done
