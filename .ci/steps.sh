# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts that build: steps with brief progress, and the build itself.
# Expects the current folder to be the project's.

# step TITLE COMMAND…   runs COMMAND quietly. On a terminal its last line of output is shown while it
# runs; when it fails, its last lines, and where the rest is.
step() {
  local title=$1 log status=0 seconds=$SECONDS
  shift
  mkdir -p build/logs
  log=build/logs/${title//[^A-Za-z0-9.-]/_}.log
  if [ -t 2 ]; then
    local width
    width=$(($(tput cols 2>/dev/null || echo 80) - ${#title} - 4))
    { "$@" 2>&1 </dev/null || status=$?; echo "$status" >"$log.status"; } | tee "$log" |
      while IFS= read -r line; do
        line=${line//[[:cntrl:]]/ }
        printf '\r\033[K%s: %s' "$title" "${line:0:$((width > 0 ? width : 0))}" >&2
      done
    printf '\r\033[K' >&2
    status=$(<"$log.status")
    rm -f "$log.status"
  else
    "$@" >"$log" 2>&1 </dev/null || status=$?
  fi
  if [ "$status" -ne 0 ]; then
    tail -n 30 "$log" >&2
    echo "$title: failed (exit $status). All of it: $log" >&2
    return "$status"
  fi
  echo "$title: $((SECONDS - seconds)) s" >&2
}

# build PRESET TARGET|all [configure options…]
build() {
  local preset=$1 target=$2
  shift 2
  step "configure $preset" cmake --preset "$preset" "$@" &&
    step "build $preset" cmake --build --preset "$preset" --target "$target"
}
