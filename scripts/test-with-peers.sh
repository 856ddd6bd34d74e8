#!/usr/bin/env bash
# Tests packages that have WebRTC peers in their own process, with the race detector, one after the other, for calls run in
# real time:
#
#   scripts/test-with-peers.sh PACKAGE…
#
# pion v4.2.17 reads the first packets of a track in two goroutines at once (handleIncomingSSRC and startReceiver), which
# the race detector finds once in some hundred joins. A package that failed with this race and no other is tried again,
# twice at most; any other failure is one at once.
set -euo pipefail

output=$(mktemp)
trap 'rm -f "$output"' EXIT

# pions_race tells whether the output reports races, each of them pion's.
pions_race() {
  awk -v RS='==================\n' '/WARNING: DATA RACE/ { races++; if (/handleIncomingSSRC/) known++ }
    END { exit !(races > 0 && races == known) }' "$output"
}

for package in "$@"; do
  for try in 1 2 3; do
    printf 'go test -race %s\n' "$package"
    if go test -race -count=1 -timeout 20m "$package" 2>&1 | tee "$output"; then
      break
    fi
    if [ "$try" = 3 ] || ! pions_race; then
      exit 1
    fi
    printf 'once more: the race is that of pion\n'
  done
done
