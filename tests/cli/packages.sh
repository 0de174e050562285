#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the packages repeat is as it is elsewhere, and the image is what docs/containers.md says of it.
. "$top_srcdir/tests/lib/tap.sh"
cd "$top_srcdir" || exit 1

version=$(sed -n 's/^AC_INIT(\[memstor\], \[\([^]]*\)\].*/\1/p' configure.ac)
check 'configure.ac has the version' test -n "$version"
is 'debian/changelog has the version' "$(sed -n '1s/^memstor (\([^)]*\)).*/\1/p' debian/changelog)" "$version"
is 'the RPM has the version' "$(sed -n 's/^Version: //p' packaging/memstor.spec)" "$version"
is 'the image has the version' "$(sed -n 's/.*image.version="\([^"]*\)".*/\1/p' packaging/Containerfile)" "$version"
is 'the Python package has the version' "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' memstor/__init__.py)" "$version"

# Nothing is found in an empty PATH, but Python's modules are. The compiler, make, autotools and util-linux are on every machine that builds packages.
mkdir "$tmp/bin"
for command in sh dirname id; do ln -s "$(command -v $command)" "$tmp/bin/$command"; done
missing=$(PATH=$tmp/bin sh scripts/setup.sh -n build test 2>&1 | sed -n 's/^setup: missing: \(.*\) (run .*/\1/p')
check 'setup.sh names what building and testing need' test -n "$missing"
modules=$(sed '/^look_host/,$d' scripts/setup.sh | sed -n 's/^[[:space:]]*need_python //p' | tr ' _' '\n-' | sed 's/^/python3-/')
lacks=
for package in $missing $modules; do
	case $package in build-essential | autoconf | automake | bsdutils | util-linux) continue ;; esac
	sed -n '/^Build-Depends:/,/^Standards/p' debian/control | grep -qE "[ ]$package( .*)?,?\$" || lacks="$lacks $package"
done
is 'Build-Depends has all that setup.sh installs for building and testing' "$lacks" ''

image=packaging/Containerfile
check 'the Containerfile has at most 50 lines' test "$(wc -l <$image)" -le 50
is 'the image is made from a tagged release of Debian alone' "$(sed -n 's/^FROM //p' $image | sort -u)" \
	"$(printf '%s\n' 'debian:bookworm-slim' 'debian:bookworm-slim AS build')"
is 'the image runs as an ordinary user' "$(grep '^USER ' $image | tail -n 1)" 'USER memstor'
is 'what the image measures is a volume' "$(sed -n 's/^VOLUME //p' $image)" "$(sed -n 's/^WORKDIR //p' $image | tail -n 1)"
is 'the image starts memstor doctor' "$(grep -E '^(ENTRYPOINT|CMD) ' $image)" \
	"$(printf '%s\n' 'ENTRYPOINT ["memstor"]' 'CMD ["doctor"]')"
for label in title description version licenses base.name; do
	check "the image has the label $label" grep -q "org.opencontainers.image.$label=\"[^\"]" $image
done
tap_done
