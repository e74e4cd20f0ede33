// SPDX-License-Identifier: Apache-2.0
// Workers that have nothing to run: they look, confirm that nobody will go on, and sleep.
//
// Models: runtime/src/engine/idle_loop.cpp and engine/idle_loop.hpp (something_happened, may_leave,
// idle), runtime/src/engine/barriers.hpp,
// runtime/src/threads/termination_detector.cpp (all of it; a locked function is one step, retire
// has two), runtime/src/engine/worker.cpp (work, await_others, retire) and poison of
// runtime/src/engine/run_state.cpp, over the dissemination barrier of
// runtime/src/engine/barriers.cpp (FLAT: the flat one, which relays nothing) and parking.hpp's
// sleepers.
//
// WORKERS workers take up to STEPS steps each, any of these: arrive at the barrier and wait for the
// others; push to another worker; pop and wait for a value; throw (THROWS). Then they leave. Some of
// these programs end, others are deadlocks. MEETS: they only arrive, STEPS times each, and stop.
//
// Abstracted: sequentially consistent (tests/relacy searches the store buffers); waking is one step, and
// so is a look at the barrier (barrier.pml has its parts); spinning and yielding are left out, a
// worker that has looked in vain once goes idle. Generations are only ever compared: in place of
// their number, `current` says whose look began in the present one.
//
// Checked: a run ends, by itself or as a deadlock (all workers retire, nobody sleeps for ever); a
// deadlock is declared only if nobody can go on, ever.
// Broken on purpose: NO_STIR (what is passed on while idle begins no generation), ANY_GENERATION (a
// poll that began in an older generation confirms), LAST_WAKES_NOBODY (the last one to go idle lets
// the others sleep), RETIRES_SILENTLY (and so does one that retires).

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef STEPS
#define STEPS 2
#endif
#define FOREVER 7
#define ROUNDS (WORKERS > 2 -> 2 : 1)
#define PARTNER(m, round) (((m) + (1 << (round))) % WORKERS)
#define MIN(a, b) ((a) < (b) -> (a) : (b))

#ifdef FLAT
#define RELAYS false
#else
#define RELAYS true
#endif

// What a worker waits for.
#define NOTHING 0
#define BARRIER 1
#define VALUE 2
#define END 3  // its VPs have ended: that it has passed on everything

byte own[WORKERS], heard[2 * WORKERS];  // the barrier
byte values[WORKERS];                   // to be popped by a worker
bool poisoned;

byte working = WORKERS, idle, confirmed;  // termination_detector
bool current[WORKERS];                    // a worker's last look began in this generation
bool has_confirmed[WORKERS];              // in this generation

bool asleep[WORKERS];

byte waits_for[WORKERS];  // for the check

#define all_idle (idle == working && working != 0)

inline wake_all() {
  d_step {
    do
    :: other < WORKERS -> asleep[other] = (other == self -> asleep[other] : false); other++
    :: else -> other = 0; break
    od
  }
}

inline poll_barrier() {  // poll
  d_step {
    reached = own[self];
    do
    :: i < ROUNDS ->
#ifdef FLAT
       reached = MIN(reached, own[(self + 1 + i) % WORKERS]);
#else
       if
       :: heard[i * WORKERS + PARTNER(self, i)] < reached ->
          heard[i * WORKERS + PARTNER(self, i)] = reached;
          passed = true
       :: else
       fi;
       reached = MIN(reached, heard[i * WORKERS + self]);
#endif
       i++
    :: else -> i = 0; break
    od
  };
  if
  :: passed ->
     passed = false;
     passed_on = true;
     wake_all()
  :: else
  fi
}

inline something_happened() {
  is_ready = false;
  if
  :: waits_for[self] == VALUE -> is_ready = values[self] != 0
  :: else ->
     poll_barrier();
     atomic {
       is_ready = (waits_for[self] == BARRIER -> reached >= epoch : !RELAYS || reached == FOREVER);
       reached = 0
     }
  fi
}

inline new_generation() {
  confirmed = 0;
  do
  :: other < WORKERS -> current[other] = false; has_confirmed[other] = false; other++
  :: else -> other = 0; break
  od
}

// Nobody can ever go on: what diagnose relies on.
inline assert_stuck() {
  d_step {
    assert(all_idle);
    reached = FOREVER;
    other = 0;
    do
    :: other < WORKERS -> reached = MIN(reached, own[other]); other++
    :: else -> other = 0; break
    od;
    do
    :: other < WORKERS ->
       assert(waits_for[other] != BARRIER || reached < own[other]);
       assert(waits_for[other] != VALUE || values[other] == 0);
       assert(waits_for[other] != END || (RELAYS && reached != FOREVER));
       other++
    :: else -> other = 0; break
    od;
    reached = 0
  }
}

inline poison() {
  poisoned = true;
  wake_all()
}

inline sleep_unless_changed() {
  asleep[self] = true;
  something_happened();
  if
  :: !is_ready && !poisoned && !passed_on && current[self] -> !asleep[self]  // the futex
  :: else
  fi;
  asleep[self] = false
}

inline idle_until_something_happened() {
  atomic { idle++; new_generation(); all = all_idle };  // enter
#ifdef LAST_WAKES_NOBODY
  all = false;
#endif
  if
  :: all -> all = false; wake_all()
  :: else
  fi;
  do
  :: if
     :: passed_on ->
        passed_on = false;
#ifndef NO_STIR
        atomic { new_generation(); all = all_idle };  // stir
        if
        :: all -> all = false; wake_all()
        :: else
        fi
#endif
     :: else
     fi;
     current[self] = true;  // generation()
     something_happened();
     if
     :: poisoned || is_ready -> break
     :: else
     fi;
     if
     :: !passed_on ->
        atomic {  // confirm
          if
#ifdef ANY_GENERATION
          :: has_confirmed[self] -> all = false
#else
          :: !current[self] || has_confirmed[self] -> all = false
#endif
          :: else ->
             has_confirmed[self] = true;
             confirmed++;
             all = all_idle && confirmed == working
          fi
        };
        if
        :: all -> all = false; assert_stuck(); poison(); break
        :: else
        fi;
        sleep_unless_changed()
     :: else
     fi
  od;
  atomic { is_ready = false; idle--; new_generation() }  // leave
}

inline wait_for(what) {
  waits_for[self] = what;
  do
  :: poisoned -> break
  :: else ->
     something_happened();
     if
     :: is_ready -> is_ready = false; break
     :: else -> idle_until_something_happened()
     fi
  od;
  waits_for[self] = NOTHING
}

proctype worker(byte self) {
  byte step, epoch, reached, i, other;
  bool is_ready, passed, passed_on, all;
  do
  :: poisoned -> break
  :: !poisoned && step < STEPS ->
     step++;
     if
     :: epoch++; own[self] = epoch; wake_all(); wait_for(BARRIER)  // announce
#ifndef MEETS
     :: values[(self + 1) % WORKERS]++; wake_all()                 // push
     :: wait_for(VALUE);
        if
        :: !poisoned -> values[self]--  // pop
        :: else
        fi
#endif
#ifdef THROWS
     :: poison()
#endif
     fi
#ifdef MEETS
  :: !poisoned && step == STEPS -> own[self] = FOREVER; wake_all(); wait_for(END); break
#else
  :: !poisoned -> own[self] = FOREVER; wake_all(); wait_for(END); break
#endif
  od;
  passed_on = false;
  // work(): retire, then nobody is unwound before all have stopped.
  atomic { working--; new_generation() };  // retire: the flag, which generation() counts
  if
  :: idle != 0 -> all = all_idle
  :: else
  fi;
#ifdef RETIRES_SILENTLY
  all = false;
#endif
  if
  :: all -> all = false; wake_all()
  :: else
  fi;
  if
  :: poisoned ->
     wake_all();
     do
     :: working == 0 -> break
     :: else ->
        asleep[self] = true;
        if
        :: working != 0 -> !asleep[self]
        :: else
        fi;
        asleep[self] = false
     od
  :: else
  fi
}

init {
  byte next = 0;
  atomic {
    do
    :: next < WORKERS -> run worker(next); next++
    :: else -> break
    od
  }
}
