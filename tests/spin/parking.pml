// SPDX-License-Identifier: Apache-2.0
// Park and wake: nobody sleeps while what it waits for has come.
//
// Models: runtime/src/threads/parking.hpp (wake, sleep_unless, anybody_asleep) and
// runtime/src/threads/parking.cpp (wake_slow, begin_sleep, wait, end_sleep), with their memory
// ordering.
//
// WORKERS threads do ROUNDS rounds: each raises its flag, wakes the others, and waits for all
// flags of the round, asleep. ASYMMETRIC (default): the sleeper's membarrier orders the waker's
// store before its own second look; SYMMETRIC: where the kernel has none, the waker reads the
// counter by a read-modify-write.
//
// Memory: a thread's flag store may stay in its store buffer while the thread goes on, its later
// loads included, until the buffer drains by itself (process `drain`), or by a read-modify-write
// of that thread, or by somebody's membarrier. The bell's stores are not buffered: a
// read-modify-write follows at once in begin_sleep and end_sleep.
// Abstracted: the futex does not return by itself; spurious returns would only help. Looks before
// the sleep are left out: each wait begins with begin_sleep, or finds all flags up.
//
// Checked: nobody waits for ever (a lost wake-up is an invalid end state).
// Broken on purpose: NO_SECOND_LOOK (sleep_unless does not look again after it has been counted),
// NO_MEMBARRIER (the sleeper does not order the wakers' stores), LOOKS_BEFORE_COUNTED (the second
// look comes before the sleeper is counted), WAKES_FIRST (the waker wakes before it stores).

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte flag[WORKERS];      // as others see it: the round its thread has come to
byte buffer[WORKERS];    // a store on its way, 0: none
bool asleep[WORKERS];    // the bells: bell::asleep, the futex's word
bool in_futex[WORKERS];
byte sleepers;           // asleep_

inline flush(who) {
  if
  :: buffer[who] != 0 -> flag[who] = buffer[who]; buffer[who] = 0
  :: else
  fi
}

// A thread's own flag is what it stored; only others wait for it.
#define ready(self) all_up
inline look(self) {
  all_up = true;
  i = 0;
  do
  :: d_step {
       i < WORKERS ->
       if
       :: i != self && flag[i] < round -> all_up = false
       :: else
       fi;
       i++
     }
  :: i == WORKERS -> i = 0; break
  od
}

inline wake_slow(self, who) {
  if
  :: asleep[who] ->
     atomic {  // exchange, a read-modify-write
       flush(self);
       woke = asleep[who];
       asleep[who] = false
     };
     if
     :: woke -> in_futex[who] = false  // futex(FUTEX_WAKE)
     :: else
     fi;
     woke = false
  :: !asleep[who]
  fi
}

inline wake_others(self) {
  atomic {
#ifdef SYMMETRIC
    flush(self);
#endif
    counted = sleepers
  };
  if
  :: counted != 0 ->
     counted = 0;
     do
     :: who < WORKERS ->
        if
        :: who != self -> wake_slow(self, who)
        :: else
        fi;
        who++
     :: else -> who = 0; break
     od
  :: else
  fi
}

inline begin_sleep(self) {
  asleep[self] = true;
  atomic { flush(self); sleepers++ };
#if !defined(SYMMETRIC) && !defined(NO_MEMBARRIER)
  atomic {
    do
    :: i < WORKERS -> flush(i); i++
    :: else -> i = 0; break
    od
  };
#endif
}

inline wait(self) {
  atomic {
    if
    :: asleep[self] -> in_futex[self] = true
    :: else
    fi
  };
  !in_futex[self]
}

inline end_sleep(self) {
  asleep[self] = false;
  atomic { flush(self); sleepers-- }
}

proctype worker(byte self) {
  byte round, i, who, counted;
  bool all_up, woke;
  do
  :: round < ROUNDS ->
     round++;
#ifdef WAKES_FIRST
     wake_others(self);
#endif
     atomic { buffer[self] == 0 -> buffer[self] = round };
#ifndef WAKES_FIRST
     wake_others(self);
#endif
     look(self);
     do
     :: all_up -> all_up = false; break
     :: else ->
#ifdef LOOKS_BEFORE_COUNTED
        look(self);
#endif
        begin_sleep(self);
#if !defined(NO_SECOND_LOOK) && !defined(LOOKS_BEFORE_COUNTED)
        look(self);
#endif
        if
        :: !all_up -> wait(self)
        :: else
        fi;
        end_sleep(self);
        look(self)
     od
  :: else -> break
  od
}

// The store buffers drain sometime.
active proctype drain() {
end:
  do
  :: atomic { buffer[0] != 0 -> flush(0) }
  :: atomic { buffer[1] != 0 -> flush(1) }
#if WORKERS > 2
  :: atomic { buffer[2] != 0 -> flush(2) }
#endif
  od
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
