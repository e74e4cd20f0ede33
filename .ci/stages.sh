# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced, after steps.sh, by scripts that are lists of stages. What is expected and not done is a
# failure: a stage that fails, that is skipped, that does not end within its limit, that is never begun.
#
#   expect NAME…                   the stages that are to be done
#   stage NAME SECONDS COMMAND…    does one, quietly, within so many seconds; nothing if not expected
#   shown_stage …                  the same, and what COMMAND prints is shown
#   print_times                    what each has taken so far
#   all_done                       says what was not done, with its log, and fails if there is any
#   with_cache                     has all stages compile through ccache
#
# Where the caller sets `deadline`, in seconds since the script began, no stage goes on after it.
# Logs of what was not done are kept in $kept: the checkout may be gone afterwards.
kept=${XDG_STATE_HOME:-$HOME/.local/state}/pleat/ci
expected=()
declare -A outcome=()
declare -A taken=()

expect() {
  local name
  for name in "$@"; do
    expected+=("$name")
    outcome[$name]="not begun"
  done
}

stage() { within_limit attempt "$@"; }
shown_stage() { within_limit tell "$@"; }
within_limit() {
  local how=$1 name=$2 limit=$3 status=0 begun=$SECONDS
  shift 3
  [ -n "${outcome[$name]:-}" ] || return 0
  if [ -n "${deadline:-}" ] && ((limit > deadline - SECONDS)); then
    limit=$((deadline - SECONDS))
    ((limit > 0)) || return 0
  fi
  "$how" "$name" timeout --kill-after=20 "$limit" "$@" || status=$?
  taken[$name]=$((SECONDS - begun))
  case $status in
    0) outcome[$name]="done" ;;
    77) outcome[$name]=skipped ;;
    *) outcome[$name]="failed (exit $status)" ;;
  esac
  ((status == 0 || taken[$name] < limit)) || outcome[$name]="not ended within $limit s"
}

# What was compiled in one checkout serves another; a changed precompiled header is seen. What is not
# in the cache is not preprocessed twice.
with_cache() {
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
  export CCACHE_DEPEND=1
}

print_times() {
  local name
  for name in "${expected[@]}"; do
    [ -z "${taken[$name]:-}" ] || printf '%5d s  %s\n' "${taken[$name]}" "$name"
  done
}

all_done() {
  local name log status=0
  for name in "${expected[@]}"; do
    [ "${outcome[$name]}" != "done" ] || continue
    status=1
    echo "$name: ${outcome[$name]}"
    log=$(log_of "$name")
    if [ -f "$log" ]; then
      mkdir -p "$kept" && cp "$log" "$kept"
      what_failed "$log"
      echo "$name: ${outcome[$name]}; its log is kept: $kept/${log##*/}"
    fi
  done >&2
  return "$status"
}
