// SPDX-License-Identifier: Apache-2.0
// The split barriers: members arrive, poll, pass on what they have heard, and leave.
//
// Models: runtime/include/pleat/runtime/barrier.hpp (announce, poll, relays) and
// runtime/src/engine/barriers.cpp (raise, dissemination_barrier::poll, tree_barrier::poll); of
// engine/barriers.hpp passed and all_left: a member that has left goes on polling until it
// reads `forever`, if the barrier relays.
//
// Variants: DISSEMINATION (if none is given), FLAT, TREE, whose fan-in is FAN_IN instead of 4 so
// that few members make several levels. N members arrive up to EPOCHS times each and then leave;
// STAYS: all arrive EPOCHS times, and none leaves.
//
// Abstracted: a member that has polled in vain polls again when a flag that it reads has changed,
// so a change that nobody hears of ends in an invalid end state. The poll inside announce is the
// first one of the wait that follows. Loads and stores are sequentially consistent: nothing here
// depends on the order of a member's own store and a later load.
//
// Checked: nobody passes an epoch before every member has arrived at it; nobody waits for ever.
// Broken on purpose: LEAVERS_DO_NOT_RELAY, NO_MINIMUM (what a member passes on is not the least),
// SKIPS_A_MEMBER (flat: the last one's flag is not read).

#ifndef N
#define N 3
#endif
#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifndef FAN_IN
#define FAN_IN 1
#endif
#define FOREVER 7
#define MIN(a, b) ((a) < (b) -> (a) : (b))

byte own[N];      // what each member has announced

#if defined(FLAT)
#define RELAYS false
#ifdef SKIPS_A_MEMBER
#define LOOKED_AT (N - 1)
#else
#define LOOKED_AT N
#endif
inline poll(m) {
  reached = FOREVER;
  do
  :: d_step { i < LOOKED_AT -> seen[i] = own[i]; reached = MIN(reached, own[i]); i++ }
  :: d_step { i == LOOKED_AT -> i = 0 }; break
  od
}
#define CHANGED (seen[0] != own[0] || seen[1] != own[1] || seen[N - 2] != own[N - 2] || \
                 seen[N - 1] != own[N - 1])

#elif defined(TREE)
#define RELAYS true
#define CHILD(m, k) ((m) * FAN_IN + 1 + (k))
#define HAS_CHILD(m, k) ((k) < FAN_IN && CHILD(m, k) < N)
byte subtree[N];  // the least epoch of a member and those below it
byte all;         // the least of all, written by member 0
inline poll(m) {
  reached = own[m];
  do
  :: d_step {
       HAS_CHILD(m, i) ->
       seen[i] = subtree[CHILD(m, i)];
#ifndef NO_MINIMUM
       reached = MIN(reached, seen[i]);
#endif
       i++
     }
  :: d_step {
       !HAS_CHILD(m, i) ->
       if  // raise: this member is the flag's only writer
       :: m == 0 && all < reached -> all = reached
       :: m != 0 && subtree[m] < reached -> subtree[m] = reached
       :: else
       fi;
       i = 0
     };
     break
  od;
  atomic { seen[N - 1] = all; reached = all }
}
#define CHANGED (seen[N - 1] != all || (HAS_CHILD(m, 0) && seen[0] != subtree[CHILD(m, 0)]) || \
                 (HAS_CHILD(m, 1) && seen[1] != subtree[CHILD(m, 1)]))

#else
#define RELAYS true
#define ROUNDS (N > 2 -> 2 : 1)  /* of 2 to 4 members */
#define PARTNER(m, round) (((m) + (1 << (round))) % N)
byte heard[2 * N];  // [round * N + member], written by member - 2^round
inline poll(m) {
  reached = own[m];
  do
  :: i < ROUNDS ->
     d_step {
       if  // raise: this member is the flag's only writer
       :: heard[i * N + PARTNER(m, i)] < reached -> heard[i * N + PARTNER(m, i)] = reached
       :: else
       fi
     };
     d_step {
       seen[i] = heard[i * N + m];
#ifdef NO_MINIMUM
       if
       :: i + 1 == ROUNDS -> reached = MIN(reached, seen[i])
       :: else
       fi;
#else
       reached = MIN(reached, seen[i]);
#endif
       i++
     }
  :: d_step { i == ROUNDS -> i = 0 }; break
  od
}
#define CHANGED (seen[0] != heard[m] || (ROUNDS > 1 && seen[1] != heard[N + m]))
#endif

proctype member(byte m) {
  byte epoch, reached, i, seen[N];
  do
  :: epoch != FOREVER ->
     if
     :: epoch < EPOCHS -> epoch++
#ifdef STAYS
     :: epoch == EPOCHS -> break
#else
     :: epoch = FOREVER  // it leaves, perhaps before the others
#endif
     fi;
     own[m] = epoch;
#ifdef LEAVERS_DO_NOT_RELAY
     if
     :: epoch == FOREVER -> break
     :: else
     fi;
#endif
     do
     :: epoch == FOREVER && !RELAYS -> break
     :: else ->
        poll(m);
        if
        :: d_step {
             reached >= epoch ->
             do
             :: i < N -> assert(own[i] >= epoch); seen[i] = 0; i++
             :: else -> i = 0; reached = 0; break
             od
           };
           break
        :: reached < epoch -> CHANGED
        fi
     od
  :: else -> break
  od
}

init {
  byte next = 0;
  atomic {
    do
    :: next < N -> run member(next); next++
    :: else -> break
    od
  }
}
