#!/bin/sh
# Installs Parley as services of systemd on Debian or Ubuntu, or a new version over an old one:
#
#   sudo ./install.sh            the programs and the units; starts nothing
#   sudo ./install.sh --offline  the speech programs of the demo agent, too
#
# Settings are in /etc/parley/parley.env, which is left as it is if it exists. Data is in /var/lib/parley.
set -eu
cd "$(dirname "$0")"

packages="libopus0 libopusfile0 libsoxr0 libgomp1 ca-certificates"
case "${1-}" in
"") ;;
--offline) packages="$packages pocketsphinx pocketsphinx-en-us flite" ;;
*)
	echo "usage: ./install.sh [--offline]" >&2
	exit 2
	;;
esac
[ "$(id -u)" = 0 ] || {
	echo "install.sh: run it as root" >&2
	exit 1
}

# shellcheck disable=SC2086 # a list
DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages
getent passwd parley >/dev/null || useradd --system --user-group --home-dir /var/lib/parley --shell /usr/sbin/nologin parley
install -m 755 parley /usr/local/bin/parley
install -d -m 755 /etc/systemd/system
install -m 644 parley.service parley-worker.service /etc/systemd/system/
install -d -m 750 -g parley /etc/parley
[ -e /etc/parley/parley.env ] || install -m 640 -g parley parley.env /etc/parley/parley.env
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi

/usr/local/bin/parley version
echo "Edit /etc/parley/parley.env, then: systemctl enable --now parley    (after an upgrade: systemctl restart parley)"
