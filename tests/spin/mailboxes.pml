// SPDX-License-Identifier: Apache-2.0
// Messages between workers: a mailbox handed over at every barrier, and what leavers leave behind.
//
// Models: runtime/src/mail/mailboxes.hpp (a mailbox, and two a pair of workers); of
// runtime/src/mail/mail.cpp pack, leave_behind and collect_left; of
// runtime/src/mail/delivery.cpp deliver; of runtime/src/engine/synchronising.cpp arrive and
// released; of runtime/src/engine/worker.cpp retire.
//
// WORKERS workers in a ring, each sending to the next one or not in each of up to EPOCHS supersteps
// of one shared cluster; each may leave before the others, with or without a last message.
//
// Abstracted: notices, which only say where to look, and change with their mailbox; the barrier is
// the flat one, as one condition (barrier.pml has its parts); a message
// is the number of its superstep; the box's mutex makes its functions one step. Sequentially
// consistent: the barrier orders what is written before it is announced (tests/relacy).
//
// Checked: at every barrier a worker receives what was sent in that superstep, all of it and
// nothing else; no mailbox is written while it is read, nor before it was taken, except where the
// receiver has left.
// Broken on purpose: ONE_MAILBOX (no second one), NOT_TAKEN (the receiver does not mark it),
// ANNOUNCES_FIRST (the arrival comes before the mailbox), LEAVES_FIRST (a leaver announces before
// it leaves messages behind), COLLECTS_AT_ONCE (without comparing epochs).

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef EPOCHS
#define EPOCHS 3
#endif
#define FOREVER 9
#ifdef ONE_MAILBOX
#define BOX(from, epoch) (2 * (from))
#else
#define BOX(from, epoch) (2 * (from) + ((epoch) & 1))
#endif
#define NEXT ((self + 1) % WORKERS)
#define BEFORE ((self + WORKERS - 1) % WORKERS)
#define ALL_ARRIVED(e) (own[0] >= (e) && own[1] >= (e) && own[WORKERS - 1] >= (e))

byte own[WORKERS];              // the barrier
byte mailbox_epoch[2 * WORKERS]; // 0: taken
byte mailbox_content[2 * WORKERS];
bool reading[2 * WORKERS];

bool box_full[WORKERS];             // a leaver's box, and when it last arrived
byte last_arrival[WORKERS], left_content[WORKERS];

bool sent[WORKERS * (EPOCHS + 2)];  // what the receiver is to get: [worker, superstep]
#define SENT(from, superstep) sent[(from) * (EPOCHS + 2) + (superstep)]

inline pack() {
  box = BOX(self, epoch);
  if
  :: mailbox_epoch[box] != 0 -> assert(own[NEXT] == FOREVER); mailbox_epoch[box] = 0  // discard
  :: else
  fi;
  assert(!reading[box]);
  mailbox_content[box] = epoch;
  mailbox_epoch[box] = epoch
}

inline gather() {
  box = BOX(BEFORE, epoch);
  if
  :: mailbox_epoch[box] == epoch ->
     reading[box] = true;
     got = mailbox_content[box];
     reading[box] = false;
#ifndef NOT_TAKEN
     mailbox_epoch[box] = 0
#endif
  :: else
  fi;
  if
  :: box_full[BEFORE] ->
     atomic {  // collect_left
       if
#ifdef COLLECTS_AT_ONCE
       :: true ->
#else
       :: last_arrival[BEFORE] < epoch ->
#endif
          collected = left_content[BEFORE];
          box_full[BEFORE] = false
       :: else
       fi
     }
  :: else
  fi
}

proctype worker(byte self) {
  byte epoch, box, got, collected;
  bool sends;
  do
  :: epoch < EPOCHS ->
     select(sends : 0 .. 1);
     epoch++;
     SENT(self, epoch) = sends;
#ifdef ANNOUNCES_FIRST
     own[self] = epoch;
#endif
     if
     :: sends -> pack()
     :: else
     fi;
     own[self] = epoch;  // announce
     ALL_ARRIVED(epoch);
     gather();
     d_step {
       assert(got == 0 || got == epoch);
       assert(collected == 0 || collected == epoch);
       assert((got != 0 || collected != 0) == SENT(BEFORE, epoch));
       assert(got == 0 || collected == 0);
       got = 0;
       collected = 0;
       box = 0;
       sends = false
     }
  :: break
  od;
  // It leaves, perhaps with a last message.
  select(sends : 0 .. 1);
#ifdef LEAVES_FIRST
  own[self] = FOREVER;
#endif
  if
  :: sends ->
     SENT(self, epoch + 1) = true;
     atomic {  // leave_behind
       left_content[self] = epoch + 1;
       last_arrival[self] = epoch;
       box_full[self] = true
     }
  :: else
  fi;
  own[self] = FOREVER
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
