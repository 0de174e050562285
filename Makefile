# SPDX-License-Identifier: GPL-3.0-or-later
# The front door: every goal works from a fresh clone. Configures into $(BUILD) and forwards each goal there,
# one after another (docs/adr/0001-build.md). automake's own file is GNUmakefile, which make prefers over this one.
srcdir := .
BUILD  ?= build
CONFIGURE_ARGS ?=
.DEFAULT_GOAL := all
.SUFFIXES:
ifneq ($(wildcard config.status),)
$(error this tree is configured in place: run plain `make`, or `make distclean` first)
endif
include maint.mk
LOCAL   := configure $(BUILD)/config.status clean distclean $(MAINT_GOALS)
FORWARD := $(filter-out $(LOCAL),$(or $(MAKECMDGOALS),all))
# These install what a new machine lacks; plain `make` only names it.
setup_groups = build$(if $(filter check% setup,$(MAKECMDGOALS)), test)$(if $(filter check-host,$(MAKECMDGOALS)), host)
ifneq ($(filter demo check check-host,$(MAKECMDGOALS)),)
$(configure) $(BUILD)/config.status forward: | setup
endif
.PHONY: configure
configure: $(configure)
$(BUILD)/config.status: | $(configure)
	mkdir -p $(BUILD)
	cd $(BUILD) && $(CURDIR)/configure $(CONFIGURE_ARGS)
# Relative to where make was called, not to the folder that the goal is forwarded to.
destdir = $(if $(DESTDIR),DESTDIR='$(if $(filter /%,$(firstword $(DESTDIR))),,$(CURDIR)/)$(DESTDIR)')
ifneq ($(FORWARD),)
.PHONY: $(FORWARD) forward
$(FORWARD): forward ; @:
# All CPUs unless the caller gives -j, and twice as many tests: they wait half of their time.
jobs_of = $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(($(if $(filter check,$(1)),2 *) $$(nproc))))
# `make -j all check` as one automake call races (each starts all-am), hence one goal after another.
forward: export DEMO_PARENT = $(CURDIR)
forward: $(BUILD)/config.status
	+@set -e; $(foreach goal,$(FORWARD),$(MAKE) --no-print-directory $(call jobs_of,$(goal)) -C $(BUILD) $(goal) $(destdir);)
endif
.PHONY: clean distclean
clean:
	+@test ! -f $(BUILD)/GNUmakefile || $(MAKE) --no-print-directory -C $(BUILD) clean
distclean:
	rm -rf $(BUILD) $(VARIANT_DIRS)
