#!/usr/bin/env bash
# Makes what a release consists of, in dist/: a tarball for each architecture, its SBOM, the packages of the clients, and checksums.
#
#   scripts/dist.sh amd64 arm64
#
# Needs the dashboard and the clients built (make build clients). Another architecture than the machine's needs its cross compiler and mmdebstrap, which
# scripts/setup.sh dist installs; its C libraries are taken from Debian 12 into bin/sysroot-<architecture>, not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly suite=bookworm mirror=${PARLEY_DEBIAN_MIRROR:-http://deb.debian.org/debian}
version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
commit=${COMMIT:-$(git rev-parse HEAD 2>/dev/null || true)}
# Files in the tarballs have the time of the commit, so that the same sources make the same tarball.
epoch=$(git log -1 --format=%ct 2>/dev/null || date +%s)

# sysroot ARCHITECTURE TRIPLET makes the folder that a cross compiler finds headers and libraries in. Nothing in it is run.
sysroot() {
  local root=$PWD/bin/sysroot-$1
  if [ ! -e "$root/usr/include/opus/opus.h" ]; then
    rm -rf "$root"
    mmdebstrap --quiet --architectures="$1" --variant=extract --include=libc6-dev,libopus-dev,libopusfile-dev,libsoxr-dev,flite1-dev,libpocketsphinx-dev,libsphinxbase-dev \
      "$suite" "$root" "$mirror" >&2
  fi
  # Links to absolute paths would lead out of the folder.
  find "$root/usr/lib" -type l -lname '/*' | while read -r link; do
    ln -snf "$root$(readlink "$link" | sed "s#^$root##")" "$link"
  done
  echo "$root"
}

# compile ARCHITECTURE OUTPUT builds the binary.
compile() {
  local settings=(CGO_ENABLED=1 GOARCH="$1")
  if [ "$1" != "$(go env GOHOSTARCH)" ]; then
    local triplet root
    case $1 in
    arm64) triplet=aarch64-linux-gnu ;;
    amd64) triplet=x86_64-linux-gnu ;;
    *) echo "dist: no cross compiler is known for $1" >&2 && exit 1 ;;
    esac
    root=$(sysroot "$1")
    settings+=(
      CC="$triplet-gcc --sysroot=$root"
      PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_LIBDIR="$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig"
    )
  fi
  env "${settings[@]}" go build -buildvcs=false -ldflags "-s -w -X main.version=$version -X main.commit=$commit" -o "$2" ./cmd/parley
}

# licences ARCHITECTURE FOLDER collects the licences of what the binary contains.
licences() {
  local module folder file target
  GOARCH=$1 CGO_ENABLED=1 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/parley | sort -u |
    while read -r module folder; do
      target=$2/$module
      for file in "$folder"/*; do
        case ${file##*/} in
        LICEN[CS]E* | COPYING* | NOTICE* | PATENTS* | COPYRIGHT* | licen[cs]e* | Licen[cs]e*) [ ! -f "$file" ] || install -D -m 644 "$file" "$target/${file##*/}" ;;
        esac
      done
      # Some have it in their README.
      if [ ! -d "$target" ] && grep -qiE '^#+ licen[cs]e' "$folder/README.md" 2>/dev/null; then install -D -m 644 "$folder/README.md" "$target/README.md"; fi
      [ -d "$target" ] || { echo "dist: $module has no file with its licence" >&2 && exit 1; }
    done
  install -D -m 644 "$(go env GOROOT)/LICENSE" "$2/go/LICENSE"
  install -m 644 web/dist/dashboard/assets/licences.md "$2/dashboard.md"
  install -m 644 web/dist/widget/licences.md "$2/widget.md"
  install -m 644 web/dist/docs/*.LICENSE.txt "$2/"
}

rm -rf dist
mkdir -p dist
for architecture in "$@"; do
  name=parley-$version-linux-$architecture
  stage=dist/$name
  mkdir -p "$stage/sbom"
  compile "$architecture" "$stage/parley"
  licences "$architecture" "$stage/licences"
  go -C tools/sbom tool cyclonedx-gomod bin -json -std -version "$version" -output "$PWD/$stage/sbom/parley.cdx.json" "$PWD/$stage/parley"
  # The modules that folders here replace have their own names there.
  for module in github.com/pion/srtp/v3=third_party/pion-srtp; do
    jq --arg name "${module%=*}" --arg folder "${module#*=}" --arg version "$(go list -m -f '{{.Version}}' "${module%=*}")+patched" \
      '(.components[] | select(.name | endswith($folder))) |= (.name = $name | .version = $version | .purl = "pkg:golang/" + $name + "@" + $version)' \
      "$stage/sbom/parley.cdx.json" >"$stage/sbom/.new"
    mv "$stage/sbom/.new" "$stage/sbom/parley.cdx.json"
  done
  # The documentation's bundles are copied from development dependencies.
  (cd web && npm sbom --package-lock-only --sbom-format=cyclonedx) >"$stage/sbom/docs.cdx.json"
  (cd web/dashboard && npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx) >"$stage/sbom/dashboard.cdx.json"
  install -m 644 LICENSE CHANGELOG.md deploy/tarball/README.md deploy/systemd/*.service "$stage"
  install -m 644 .env.example "$stage/parley.env"
  install -m 755 deploy/tarball/install.sh "$stage"
  cp "$stage/sbom/parley.cdx.json" "dist/$name.cdx.json"
  tar -C dist --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf - "$name" | gzip -9n >"dist/$name.tar.gz"
  rm -r "$stage"
done
scripts/dist-clients.sh "$version"
(cd dist && sha256sum -- *.tar.gz *.json *.tgz *.whl >SHA256SUMS)
ls -l dist
