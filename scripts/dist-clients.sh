#!/usr/bin/env bash
# Makes the packages of the clients in dist/: for npm (.tgz), and for PyPI (.whl). Needs them built: make clients.
#
#   scripts/dist-clients.sh v1.4.0
#
# The wheel is made with Debian's setuptools, which scripts/setup.sh dist installs. A version that is no tag of a release,
# such as dev, makes packages of the version 0.0.0.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.0.0
if [[ ${1-} =~ ^v([0-9]+\.[0-9]+\.[0-9]+(-[a-z]+\.[0-9]+)?)$ ]]; then version=${BASH_REMATCH[1]}; fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p dist "$stage/python"

cp -r clients/typescript/{dist,package.json,README.md} LICENSE "$stage"
(cd "$stage" && npm pkg set "version=$version" && npm pack --silent --ignore-scripts) >/dev/null
install -m 644 "$stage"/parley-client-*.tgz dist

cp -r clients/python/{pyproject.toml,README.md,src} LICENSE "$stage/python"
find "$stage/python" -name __pycache__ -prune -exec rm -r {} +
sed -i "s/^version = .*/version = \"$version\"/" "$stage/python/pyproject.toml"
(cd "$stage/python" && /usr/bin/python3 -c 'from setuptools import build_meta; build_meta.build_wheel(".")') >/dev/null
install -m 644 "$stage"/python/parley_client-*.whl dist
