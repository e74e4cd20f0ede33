# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced by the scripts that build: steps with brief progress, and the build itself.
# Expects the current folder to be the project's.

# How far a step is whose output goes to LOG: what Ninja and CTest say about it, else its last line.
how_far() {
  local tail line
  tail=$(tail -c 4096 "$1" 2>/dev/null | tr '\r\t' '\n ' | tr -d '\000-\010\013-\037\177')
  line=$(grep -oE '^ *\[?[0-9]+/[0-9]+(\]| Test )' <<<"$tail" | tail -n 1)
  if [[ $line =~ ([0-9]+)/([0-9]+) ]]; then
    echo "step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
  else
    grep -v '^ *$' <<<"$tail" | tail -n 1
  fi
}

# report TITLE LOG   says how far it is until it is ended: on a terminal in one line that changes,
# elsewhere, every PLEAT_PROGRESS_SECONDS (5), in a line without control characters.
report() {
  set +e  # a log without lines is no error
  local start=$SECONDS script=$$ pause=${PLEAT_PROGRESS_SECONDS:-5} width=100 text
  if [ -t 2 ]; then
    pause=0.3
    width=$(($(tput cols 2>/dev/null || echo 80) - 1))
  fi
  # Whoever reads our output must not wait for a sleep that outlives us.
  while sleep "$pause" >/dev/null 2>&1 && kill -0 "$script" 2>/dev/null; do
    text="$1: $(how_far "$2") ($((SECONDS - start)) s)"
    if [ -t 2 ]; then
      printf '\r\033[K%s' "${text:0:$((width > 0 ? width : 0))}" >&2
    else
      printf '%s\n' "${text:0:$width}" >&2
    fi
  done
}

# reported TITLE LOG COMMAND…   runs COMMAND and reports on LOG, to which the caller sees to it that
# its output goes.
reported() {
  local title=$1 log=$2 status=0 reporter begun
  shift 2
  # It says when it has begun: ended before that, it would carry out its parent's traps.
  exec {begun}< <(trap - EXIT INT TERM HUP; echo; report "$title" "$log")
  reporter=$!
  read -r -u "$begun" || true
  "$@" </dev/null || status=$?
  kill "$reporter" 2>/dev/null || true
  wait "$reporter" 2>/dev/null || true
  exec {begun}<&-
  [ ! -t 2 ] || printf '\r\033[K' >&2
  return "$status"
}

# log_of TITLE   where the output of a step of this title goes.
log_of() { echo "build/logs/${1//[^A-Za-z0-9.-]/_}.log"; }

# what_failed LOG   what LOG says of failures, wherever they stand among what passed, and its end.
what_failed() {
  grep -aE -A 12 -e ': Failure$|^(==[0-9]+==)?(ERROR|WARNING): [A-Za-z]+Sanitizer' \
    -e '\*\*\*(Failed|Timeout|Exception)|runtime error:|(error|Error):|^FAILED:' "$1" |
    cut -c 1-300 | head -n 80 || true  # there may be none, or too many
  tail -n 30 "$1" | cut -c 1-300
}

# attempt TITLE COMMAND…   runs COMMAND quietly; when it fails, its last lines, and where the rest is.
# A COMMAND that ends with 77 was skipped, and its last line says why.
attempt() {
  local title=$1 log status=0 seconds=$SECONDS
  shift
  mkdir -p build/logs
  log=$(log_of "$title")
  : >"$log"
  reported "$title" "$log" into "$log" "$@" || status=$?
  case $status in
    0) echo "$title: $((SECONDS - seconds)) s" ;;
    77) echo "$title: $(grep -v '^ *$' "$log" | tail -n 1)" ;;
    *)
      what_failed "$log"
      echo "$title: failed (exit $status). All of it: $log"
      ;;
  esac >&2
  return "$status"
}
# step TITLE COMMAND…   attempts COMMAND, which may be skipped.
step() {
  local status=0
  attempt "$@" || status=$?
  [ "$status" -eq 77 ] || return "$status"
}
into() {
  local log=$1
  shift
  "$@" >"$log" 2>&1
}

# tell TITLE COMMAND…   runs COMMAND, whose output is shown, and reports as well.
tell() {
  local title=$1 log
  shift
  mkdir -p build/logs
  log=$(log_of "$title")
  : >"$log"
  reported "$title" "$log" shown_and_into "$log" "$@"
}
shown_and_into() {
  local log=$1
  shift
  "$@" | tee "$log"
  return "${PIPESTATUS[0]}"
}

# build PRESET TARGET|all [configure options…]
build() {
  local preset=$1 target=$2
  shift 2
  step "configure $preset" cmake --preset "$preset" "$@" &&
    step "build $preset" cmake --build --preset "$preset" --target "$target"
}
