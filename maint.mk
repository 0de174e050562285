# SPDX-License-Identifier: GPL-3.0-or-later
# Goals for maintainers. Read by the front door (Makefile) and by every configured tree (GNUmakefile.am).
maint_src := $(abspath $(srcdir))
configure := $(maint_src)/configure
VARIANT_DIRS := build-asan build-tsan build-coverage
# What the front door does itself; every other goal is forwarded to a configured tree.
MAINT_GOALS := setup asan tsan coverage fuzz check-viewer

FUZZ_CC ?= clang
FUZZ_SECONDS ?= 10
export FUZZ_SECONDS

ifndef top_builddir
$(configure):
	cd $(maint_src) && ./autogen.sh
endif

.PHONY: setup
setup:
	@$(maint_src)/scripts/setup.sh -b '$(if $(top_builddir),$(top_builddir),$(BUILD))' $(setup_groups)

# Variants are configured out of tree, each with its own flags.
variant_cflags := -g -O1 -fno-omit-frame-pointer
# The tests and the fuzz targets share one build.
args_asan := --enable-fuzzers CC='$(FUZZ_CC)' \
	CFLAGS='$(variant_cflags) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'
args_tsan := CFLAGS='$(variant_cflags) -fsanitize=thread'
args_coverage := CFLAGS='-g -O0 --coverage'

$(VARIANT_DIRS:=/config.status): build-%/config.status: | $(configure)
	@! test -f $(maint_src)/config.status || { \
		echo "$*: the source tree is configured in place: run 'make distclean' first" >&2; exit 2; }
	mkdir -p build-$*
	cd build-$* && $(configure) $(args_$*) $(CONFIGURE_ARGS)

.PHONY: asan tsan coverage fuzz
asan: build-asan/config.status
	+$(MAKE) -C build-asan check-memory
# gcc's runtime cannot place its shadow memory under the kernel's widest address space randomisation.
tsan: build-tsan/config.status
	+setarch -R $(MAKE) -C build-tsan check-threads
coverage: build-coverage/config.status
	find build-coverage -name '*.gcda' -delete
	+$(MAKE) -C build-coverage check
	$(maint_src)/scripts/coverage.sh $(maint_src) build-coverage
fuzz: build-asan/config.status
	+$(MAKE) -C build-asan fuzzers
	$(maint_src)/scripts/fuzz.sh $(maint_src) build-asan

# The page in memstor/viewer/: its bundle, its sources, the page in a browser.
.PHONY: check-viewer
check-viewer:
	@$(maint_src)/scripts/check-viewer.sh

ifdef ONE_TEST_AT_A_TIME
.NOTPARALLEL:
endif

ifdef top_builddir
# automake starts five processes for each of about 500 empty files of dependencies, which is most of configure's time.
# They are there before it looks.
ifneq ($(filter am--depfiles,$(MAKECMDGOALS)),)
$(shell mkdir -p $(sort $(dir $(am__depfiles_remade))) && for file in $(am__depfiles_remade); do : >>$$file; done)
endif
# Equal trees make equal tarballs, whoever packs them, where and when: each file has the date of debian/changelog.
packed_at = $(shell date +%s -d "$$(sed -n 's/^ -- .*>  //p' $(maint_src)/debian/changelog | head -n 1)")
dist-xz: export TAR_OPTIONS = --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$(packed_at)
dist-xz: export XZ_OPT = -6 -T1
.PHONY: lint check-dist
lint: config.h
	$(maint_src)/scripts/lint.sh -b '$(abspath $(top_builddir))'
check-dist: dist
	$(maint_src)/scripts/check-dist.sh '$(distdir).tar.xz'
endif
