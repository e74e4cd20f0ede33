// SPDX-License-Identifier: Apache-2.0
// A channel: one producer, one consumer, an end by close or by poison.
//
// Models: channels/include/pleat/channels/channel.hpp (try_push, consume, drained, close, poison)
// over the ring's two indices, each written by one side only.
//
// ITEMS numbers go through SLOTS slots. The producer lends memory with each of them: it writes
// `lent` again once the channel is drained. Anybody may poison at any moment (POISON).
//
// Abstracted: who finds the channel full or empty looks again when an index or the state has
// changed. The indices count on instead of wrapping. Loads and stores are sequentially consistent:
// the code's pairs of release and acquire carry messages in one direction each, and nothing
// depends on the order of a side's own store and a later load.
//
// Checked: the consumer gets every number once and in order before it reads `closed`; the element
// and the memory lent with it do not change while it is read; a poison is never forgotten, both
// sides come to their end; nobody waits for ever.
// Broken on purpose: LOOKS_BEFORE_STATE (consume reads the state after it found the ring empty),
// RELEASES_FIRST (the slot is released before the element is read), STORES_STATE (close is a load
// and a store, not a read-modify-write).

#ifndef ITEMS
#define ITEMS 3
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#define CLOSED 1
#define POISONED 2

byte slots[SLOTS];
byte written, taken;  // the ring's indices
byte state;
byte lent;            // the producer's memory
bool has_poisoned;

active proctype producer() {
  byte next = 1, seen, found;
  // A number, pushed when there is room: try_push.
  do
  :: next <= ITEMS ->
     found = state;
     if
     :: found != 0 -> goto ended
     :: else
     fi;
     seen = taken;
     if
     :: written - seen < SLOTS ->
        slots[written % SLOTS] = next;
        written++;  // release
        next++
     :: else -> taken != seen || state != 0
     fi
  :: else -> break
  od;
  // Some producers wait until the channel is drained: the memory is theirs again. Some just close.
  do
  :: break
  :: seen = taken;
     if
     :: seen == written -> lent = 1; break
     :: else -> taken != seen || state != 0;
        if
        :: (state & POISONED) != 0 -> goto ended
        :: else
        fi
     fi
  od;
#ifdef STORES_STATE
  found = state;
  state = found | CLOSED;
#else
  state = state | CLOSED;  // one step: fetch_or
#endif
ended:
  assert(!has_poisoned || (state & POISONED) != 0)
}

active proctype consumer() {
  byte expected = 1, seen, found, value;
  do
  :: found = 0;
#ifndef LOOKS_BEFORE_STATE
     found = state;  // before the ring
#endif
     if
     :: (found & POISONED) != 0 -> break
     :: else
     fi;
     seen = written;
     if
     :: seen != taken ->
#ifdef RELEASES_FIRST
        taken++;
        value = slots[(taken - 1) % SLOTS];
#else
        value = slots[taken % SLOTS];
#endif
        assert(value == expected);
        assert(lent == 0);
        expected++;
#ifndef RELEASES_FIRST
        taken++  // release
#endif
     :: else ->
#ifdef LOOKS_BEFORE_STATE
        found = state;
#endif
        if
        :: found == 0 -> written != seen || state != 0
        :: (found & CLOSED) != 0 -> assert(expected == ITEMS + 1); break
        :: else -> break
        fi
     fi
  od;
  assert(!has_poisoned || (state & POISONED) != 0)
}

#ifdef POISON
active proctype anybody() {
  atomic { state = state | POISONED; has_poisoned = true }
}
#endif
