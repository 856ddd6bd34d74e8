#!/usr/bin/env bash
# Installs what Parley needs on Debian or Ubuntu, and nothing that is there already.
#
#   scripts/setup.sh check   nothing; says whether Go and Node will do
#   scripts/setup.sh run     what building and running needs
#   scripts/setup.sh test    the same, and what the tests need
#   scripts/setup.sh dist    what building needs, and what releases and their tests need
#
# Works as root and with sudo. Starts no service, leaves no configuration behind, writes nothing into the checkout.
# PARLEY_SKIP_SETUP=1 skips the packages, for machines that get them in another way.
set -euo pipefail

cd "$(dirname "$0")/.."

readonly go_wanted=1.26 node_wanted=20.19

# C compiler and what it links; the offline speech programs and the headers of what they load.
readonly run_packages=(
  ca-certificates gcc libc6-dev make pkg-config
  libopus-dev libopusfile-dev libsoxr-dev
  flite libflite1 flite1-dev
  pocketsphinx pocketsphinx-en-us libpocketsphinx-dev libsphinxbase-dev
)
# The storage tests start a private cluster from these packages' programs; sipp, baresip, linphone, kamailio with
# rtpengine, and sipsak play the telephone network, and Chromium uses the dashboard, also from a network namespace of
# its own.
readonly test_packages=(postgresql redis-server sqlite3 sip-tester baresip-core linphone-cli kamailio
  kamailio-tls-modules rtpengine-daemon sipsak curl python3 python3-setuptools python3-wheel mypy openssl chromium iproute2
  # The voices and the music that hearing and the detection of who answered are measured with.
  espeak-ng
  asterisk-core-sounds-en-g722 asterisk-core-sounds-es-g722 asterisk-core-sounds-fr-g722 asterisk-core-sounds-it-g722
  asterisk-core-sounds-ru-g722 asterisk-moh-opsound-g722
)

# Folders with Debian's programs and libraries; the compiler of arm64; what builds images; what judges units; what builds
# the client of Python.
readonly dist_packages=(mmdebstrap gcc-aarch64-linux-gnu libc6-dev-arm64-cross podman buildah systemd git jq
  python3 python3-setuptools python3-wheel)

stop() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

# at_least HAVE WANT compares version numbers.
at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

check_go() {
  local found
  command -v go >/dev/null ||
    stop "Go $go_wanted or later is not in PATH: install it from https://go.dev/dl/ (make also looks in /usr/local/go/bin)"
  # In the checkout this names the toolchain that would build it, which Go may fetch by itself; with GOTOOLCHAIN=local
  # it fails where the installed Go is too old.
  found=$(go env GOVERSION 2>/dev/null || (cd / && GOTOOLCHAIN=local go env GOVERSION))
  found=${found#go}
  at_least "$found" "$go_wanted" || stop "Go $found is too old, $go_wanted or later is needed: https://go.dev/dl/"
}

check_node() {
  local found
  command -v node >/dev/null ||
    stop "Node $node_wanted or later is not in PATH: install it from https://nodejs.org/"
  found=$(node --version)
  found=${found#v}
  at_least "$found" "$node_wanted" || stop "Node $found is too old, $node_wanted or later is needed: https://nodejs.org/"
  command -v npm >/dev/null || stop "npm is not in PATH: it comes with Node from https://nodejs.org/"
}

# as_root runs a command as root.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -- "$@"; fi
}

# missing prints those of the given packages that are not installed.
missing() {
  local package
  for package in "$@"; do
    if [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      printf '%s\n' "$package"
    fi
  done
}

# While packages with services are installed, these two files keep the services down and keep Debian from making a
# PostgreSQL cluster that would start at the next boot. Both are removed afterwards.
readonly no_start=/usr/sbin/policy-rc.d
readonly no_cluster=/etc/postgresql-common/createcluster.d/parley-setup.conf
readonly mark='# made by scripts/setup.sh of Parley for as long as it runs'

hold_services() {
  if [ ! -e "$no_start" ]; then
    as_root sh -c "printf '%s\n' '#!/bin/sh' '$mark' 'exit 101' >$no_start && chmod 755 $no_start"
  fi
  as_root sh -c "mkdir -p ${no_cluster%/*} && printf '%s\n' '$mark' 'create_main_cluster = false' >$no_cluster"
}

release_services() {
  local file
  for file in "$no_start" "$no_cluster"; do
    if grep -qs "$mark" "$file"; then as_root rm -f "$file"; fi
  done
}

install_packages() {
  local wanted=("$@")
  if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
    stop "this machine has no apt-get; install the equivalents of these Debian packages:" \
      "  ${wanted[*]}" "then run make again with PARLEY_SKIP_SETUP=1"
  fi
  local absent
  absent=$(missing "${wanted[@]}")
  [ -n "$absent" ] || return 0
  local packages
  mapfile -t packages <<<"$absent"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    stop "these packages are missing, and without sudo only root can install them:" "  apt-get install ${packages[*]}"
  fi
  printf 'setup: installing %s\n' "${packages[*]}"

  case " ${packages[*]} " in
  *" postgresql "* | *" redis-server "* | *" kamailio "* | *" rtpengine-daemon "*)
    trap release_services EXIT
    trap 'exit 130' INT TERM
    hold_services
    ;;
  esac
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  as_root "${apt[@]}" update ||
    printf 'setup: the package lists could not be brought up to date; trying with those at hand\n' >&2
  as_root "${apt[@]}" install --yes --no-install-recommends "${packages[@]}" ||
    stop "apt-get could not install them; as root, try: apt-get install ${packages[*]}"
  # Nor shall these start at the next boot, on a machine that did not ask for them.
  local service
  for service in redis-server kamailio rtpengine-daemon; do
    case " ${packages[*]} " in
    *" $service "*) if command -v systemctl >/dev/null; then as_root systemctl --quiet disable "$service"; fi ;;
    esac
  done
}

case ${1-} in
check) packages=() ;;
run) packages=("${run_packages[@]}") ;;
test) packages=("${run_packages[@]}" "${test_packages[@]}") ;;
dist) packages=("${run_packages[@]}" "${dist_packages[@]}") ;;
*) stop "usage: scripts/setup.sh check|run|test|dist" ;;
esac
check_go
check_node
[ "$1" = check ] || [ -n "${PARLEY_SKIP_SETUP-}" ] || install_packages "${packages[@]}"
