#!/usr/bin/env bash
# json-c 0.18 of Debian 13 (libjson-c5 0.18+ds-1), beside 0.16 of Debian 12 (0.16-2).
#
# JSON_TOKENER_STRICT is for who takes nothing but JSON, and JSON_TOKENER_VALIDATE_UTF8 for who takes no text that is not UTF-8. With
# both, 0.18 takes no text that has a character outside ASCII: it calls right UTF-8 an invalid utf-8 string, or without the second
# flag an invalid string sequence. Strict mode also refuses a number now that has more than 64 bits, which 0.16 made the nearest one,
# and at the end of the input says that the input ends too early.
#
# Seen, for "ä" with no flag, strict, UTF-8, both; and for 18446744073709551616 in strict mode:
#   Debian 12: success, success, success, success; success
#   Debian 13: success, invalid string sequence, success, invalid utf-8 string; unexpected end of data
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

parse='
import ctypes
json = ctypes.CDLL("libjson-c.so.5")
json.json_tokener_new.restype = ctypes.c_void_p
json.json_tokener_error_desc.restype = ctypes.c_char_p
def said(flags, text):
    tokener = ctypes.c_void_p(json.json_tokener_new())
    json.json_tokener_set_flags(tokener, flags)
    json.json_tokener_parse_ex(tokener, text, len(text) + 1)
    return json.json_tokener_error_desc(json.json_tokener_get_error(tokener)).decode()
strict, utf8 = 0x01, 0x10
letter = b"\"\xc3\xa4\""
print(", ".join(said(flags, letter) for flags in (0, strict, utf8, strict | utf8)) + "; " + said(strict, b"18446744073709551616"))'

status=0
check() { # RELEASE VERSION EXPECTED
    local version seen
    mmdebstrap --quiet --variant=apt --include=python3-minimal,libpython3-stdlib,libjson-c5 "$1" "$dir/$1" || exit 1
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$dir/$1" dpkg-query -W -f '${Version}' libjson-c5)
    seen=$(chroot "$dir/$1" python3 -c "$parse" 2>&1)
    echo "$1, json-c $version: $seen"
    [[ $version == "$2"* && $seen == "$3" ]] || status=1
}
check bookworm 0.16-2 'success, success, success, success; success'
check trixie 0.18 'success, invalid string sequence, success, invalid utf-8 string; unexpected end of data'
exit "$status"
