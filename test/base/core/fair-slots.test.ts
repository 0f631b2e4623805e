import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressGroup } from '../../../src/base/core/fairness/address-group.ts';
import {
  type Caller,
  currentCaller,
  FamiliarNetworks,
  RequestCaller,
  runFor,
  runForServer,
} from '../../../src/base/core/fairness/caller.ts';
import { FairSlots, type FairSlotsOptions } from '../../../src/base/core/fairness/fair-slots.ts';
import { UsedTime } from '../../../src/base/core/fairness/used-time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

// Runs once: no outcome depends on the database.

const MINUTE_MS = 60_000;

function slotsWith(options: Partial<FairSlotsOptions>): FairSlots {
  return new FairSlots({
    what: 'clones',
    unitsMax: 4,
    unitsPerCallerMax: 4,
    unitsForSignedIn: 0,
    queueMax: 100,
    queuePerCallerMax: 100,
    waitMs: MINUTE_MS,
    ...options,
  });
}

function account(id: number): RequestCaller {
  const caller = stranger(`10.0.0.${id}`);
  caller.identify(id);
  return caller;
}

function stranger(address: string, left = new AbortController()): RequestCaller {
  return new RequestCaller(address, () => left.signal);
}

/** Enters for a caller and notes the order in which slots are given. */
function ask(
  slots: FairSlots,
  caller: Caller,
  options: { units?: number; expectedMs?: number; note?: () => void } = {},
) {
  const { units = 1, expectedMs = 0, note } = options;
  return runFor(caller, async () => {
    const leave = await slots.enter({ units, expectedMs });
    note?.();
    return leave;
  });
}

test('one caller gets no more than its share, and the rest waits while other slots are free', async () => {
  const slots = slotsWith({ unitsPerCallerMax: 2 });
  const ada = account(1);
  const leaveFirst = await ask(slots, ada);
  await ask(slots, ada);
  const third = ask(slots, ada);
  assert.deepEqual([slots.running, slots.waiting], [2, 1]);
  await ask(slots, account(2));
  leaveFirst();
  await third;
  assert.deepEqual([slots.running, slots.waiting], [3, 0]);
});

test('waiting callers take turns, however much one of them asks for', async () => {
  const slots = slotsWith({ unitsMax: 1, unitsPerCallerMax: 1 });
  const order: string[] = [];
  let leave = await ask(slots, account(9));
  const asked = [1, 1, 1, 2, 3].map((id, index) =>
    ask(slots, account(id), { note: () => order.push(`${id}.${index}`) }),
  );
  for (const turn of [0, 3, 4, 1, 2]) {
    leave();
    leave = await (asked[turn] ?? assert.fail());
  }
  assert.deepEqual(order, ['1.0', '2.3', '3.4', '1.1', '1.2']);
});

test('anonymous callers leave a reserve to those who signed in', async () => {
  const slots = slotsWith({ unitsMax: 4, unitsForSignedIn: 1 });
  const leaves = await Promise.all([1, 2, 3].map((n) => ask(slots, stranger(`192.0.2.${n}`))));
  const fourth = ask(slots, stranger('192.0.2.4'));
  assert.deepEqual([slots.running, slots.waiting], [3, 1]);
  await ask(slots, account(1));
  assert.deepEqual([slots.running, slots.waiting], [4, 1], 'an account passes the waiting stranger');
  leaves[0]?.();
  await fourth;
});

test('an account that holds a slot leaves the reserve to those who hold none', async () => {
  const slots = slotsWith({ unitsMax: 4, unitsForSignedIn: 1 });
  const leaves = await Promise.all([1, 2, 3].map(() => ask(slots, account(1))));
  const fourth = ask(slots, account(1));
  assert.deepEqual([slots.running, slots.waiting], [3, 1]);
  const leaveSecond = await ask(slots, account(2));
  assert.deepEqual([slots.running, slots.waiting], [4, 1], 'another account passes it');
  leaveSecond();
  assert.equal(slots.waiting, 1, 'the reserve stays free');
  leaves[1]?.();
  await fourth;
});

test('anonymous requests from the network of a member count as signed in, and not as those of strangers', async () => {
  const familiar = new FamiliarNetworks();
  const from = (address: string) => new RequestCaller(address, () => new AbortController().signal, familiar);
  const signIn = (address: string, id: number) => from(address).identify(id);
  assert.equal(from('192.0.2.1').isAnonymous, true);
  signIn('192.0.2.1', 1);
  signIn('192.0.2.2', 1);
  assert.equal(from('192.0.2.1').isAnonymous, false);
  assert.equal(from('192.0.2.1').share, from('192.0.2.2').share, 'one account, one share');
  signIn('192.0.2.2', 2);
  assert.notEqual(from('192.0.2.1').share, from('192.0.2.2').share, 'several members share their network');
  assert.notEqual(from('192.0.2.1').share, account(1).share);
  assert.equal(from('192.0.2.3').isAnonymous, true);
});

test('anonymous callers fill at most half of the queue', async () => {
  const slots = slotsWith({ unitsMax: 1, queueMax: 4 });
  await ask(slots, account(1));
  for (const n of [1, 2]) ask(slots, stranger(`192.0.2.${n}`)).catch(() => {});
  await assert.rejects(ask(slots, stranger('192.0.2.3')), /too many clones/);
  ask(slots, account(2)).catch(() => {});
  assert.equal(slots.waiting, 3);
});

test('a caller has a bounded queue of its own', async () => {
  const slots = slotsWith({ unitsMax: 1, queuePerCallerMax: 1 });
  await ask(slots, account(1));
  ask(slots, account(2)).catch(() => {});
  await assert.rejects(ask(slots, account(2)), /too many clones at once/);
});

test('a caller that leaves stops waiting, and others move up', async () => {
  const slots = slotsWith({ unitsMax: 1 });
  const gone = new AbortController();
  const leave = await ask(slots, account(1));
  const lost = ask(slots, stranger('192.0.2.1', gone));
  const next = ask(slots, account(2));
  gone.abort(new Error('left'));
  await assert.rejects(lost, /left/);
  leave();
  await next;
  assert.deepEqual([slots.running, slots.waiting], [1, 0]);
});

test('a large piece of work is not passed forever by small ones', async () => {
  const slots = slotsWith({ unitsMax: 4 });
  const leaves = [await ask(slots, account(1), { units: 2 }), await ask(slots, account(2), { units: 2 })];
  const large = ask(slots, account(3), { units: 4 });
  const small = ask(slots, account(4));
  leaves[0]?.();
  assert.equal(slots.waiting, 2, 'the small one waits behind the large one');
  leaves[1]?.();
  const leaveLarge = await large;
  leaveLarge();
  await small;
});

test('work that asks for more than a caller may hold gets all that it may hold', async () => {
  const slots = slotsWith({ unitsPerCallerMax: 2 });
  await ask(slots, account(1), { units: 9 });
  assert.equal(slots.running, 2);
});

test('waiting ends with an error after its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const slots = slotsWith({ unitsMax: 1, waitMs: 1000 });
  await ask(slots, account(1));
  const late = assert.rejects(ask(slots, account(2)), /too many clones at once/);
  t.mock.timers.tick(1000);
  await late;
  assert.equal(slots.waiting, 0);
});

test('a slot that is freed twice is free once', async () => {
  const slots = slotsWith({ unitsMax: 2 });
  const leave = await ask(slots, account(1));
  await ask(slots, account(1));
  leave();
  leave();
  assert.equal(slots.running, 1);
});

test('the server has no share, and shared work runs for it', async () => {
  const slots = slotsWith({ unitsPerCallerMax: 1 });
  await slots.enter();
  await runFor(account(1), () => runForServer(() => slots.enter()));
  assert.equal(slots.running, 2);
  assert.equal(currentCaller().isServer, true);
});

test('a client counts as its IPv4 address or as the /64 of its IPv6 address', () => {
  const groups = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['not an address', 'not an address'],
  ];
  for (const [address, group] of groups) assert.equal(addressGroup(address ?? ''), group, address);
});

test('the callers of one lane leave room in the queue for those of another', async () => {
  const slots = slotsWith({ unitsMax: 1, unitsPerCallerMax: 1, queueMax: 4, queuePerLaneMax: 2 });
  const inLane = (lane: string, id: number): Caller => ({
    lane,
    share: `account ${id}`,
    isAnonymous: false,
    isServer: false,
  });
  const leave = await ask(slots, inLane('many', 0));
  const waiting = [1, 2].map((id) => ask(slots, inLane('many', id)));
  await assert.rejects(ask(slots, inLane('many', 3)), /too many clones/);
  const other = ask(slots, inLane('few', 4));
  assert.equal(slots.waiting, 3);
  leave();
  await Promise.all([...waiting, other].map(async (next) => (await next)()));
});

/** Borrows a slot for a caller and counts how often it was asked for. */
function borrow(slots: FairSlots, caller: Caller) {
  let asked = 0;
  const slot = runFor(caller, () =>
    slots.borrow(() => {
      asked += 1;
    }),
  );
  return { slot, asked: () => asked };
}

test('a slot can be borrowed if it is free and within the share, and no work waits', async () => {
  const slots = slotsWith({ unitsMax: 2, unitsPerCallerMax: 1 });
  const { slot } = borrow(slots, account(1));
  assert.ok(slot);
  assert.equal(borrow(slots, account(1)).slot, undefined, 'its share is used up');
  const leave = await ask(slots, account(2));
  assert.equal(borrow(slots, account(3)).slot, undefined, 'none is free');
  const second = ask(slots, account(2));
  slot.leave();
  slot.leave();
  assert.deepEqual([slots.running, slots.waiting], [1, 1]);
  assert.equal(borrow(slots, account(3)).slot, undefined, 'other work waits');
  leave();
  (await second)();
  assert.equal(slots.running, 0);
});

test('a borrowed slot is asked for once when other work waits that it makes room for', async () => {
  const slots = slotsWith({ unitsMax: 2, unitsPerCallerMax: 1 });
  const ada = borrow(slots, account(1));
  const leaveBob = await ask(slots, account(2));
  const bobs = ask(slots, account(2));
  assert.equal(ada.asked(), 0, 'bob has his share');
  const eves = ask(slots, account(3));
  const carols = ask(slots, account(4));
  assert.equal(ada.asked(), 1);
  ada.slot?.leave();
  for (const work of [eves, carols]) (await work)();
  leaveBob();
  (await bobs)();
  const own = borrow(slots, account(1));
  const next = ask(slots, account(1));
  assert.equal(own.asked(), 1, 'other work of its caller needs it');
  assert.equal(own.slot?.keep(), false);
  own.slot?.leave();
  (await next)();
  assert.equal(slots.running, 0);
});

test('a borrowed slot that is kept is not asked for', async () => {
  const slots = slotsWith({ unitsMax: 1 });
  const { slot, asked } = borrow(slots, account(1));
  assert.equal(slot?.keep(), true);
  const other = ask(slots, account(2));
  assert.equal(asked(), 0);
  slot?.leave();
  (await other)();
});

function usedTimes(clock = new ManualClock()): UsedTime {
  return new UsedTime({ halfLifeMs: 1_000, callersRememberedMax: 100 }, clock);
}

test('H9: used time is forgotten by half in each half-life', () => {
  const clock = new ManualClock();
  const used = usedTimes(clock);
  assert.equal(used.of('ada'), 0);
  used.charge('ada', 800);
  clock.advance(2_000);
  assert.equal(used.of('ada'), 200);
  used.charge('ada', 100);
  assert.deepEqual([used.of('ada'), used.of('bob')], [300, 0]);
});

test('H9: the caller goes first that has used the least time and sends the least work', async () => {
  const usedTime = usedTimes();
  const slots = slotsWith({ unitsMax: 1, usedTime });
  usedTime.charge('account 1', 500);
  const leave = await ask(slots, account(9));
  const order: string[] = [];
  const wait = async (name: string, id: number, expectedMs: number) => {
    (await ask(slots, account(id), { expectedMs, note: () => order.push(name) }))();
  };
  const all = [
    wait('used', 1, 0),
    wait('long', 2, 400),
    wait('longer', 3, 600),
    wait('short', 4, 10),
    wait('second of the shortest', 4, 5),
  ];
  leave();
  await Promise.all(all);
  assert.deepEqual(order, ['short', 'second of the shortest', 'long', 'used', 'longer']);
});

test('H9: time is charged when the work ends', async () => {
  const usedTime = usedTimes();
  const slots = slotsWith({ usedTime });
  const leave = await ask(slots, account(1));
  assert.equal(usedTime.of('account 1'), 0);
  leave();
  const once = usedTime.of('account 1');
  assert.ok(once > 0);
  leave();
  assert.equal(usedTime.of('account 1'), once);
});

test('H9: a full queue that charges time rejects work of the caller with the most', async () => {
  const slots = slotsWith({ unitsMax: 1, queueMax: 4, usedTime: usedTimes() });
  const leave = await ask(slots, account(9));
  const ofFirst = [1, 2, 3].map(() => ask(slots, account(1)));
  const ofSecond = ask(slots, account(2));
  const rejected = assert.rejects(ofFirst[2] ?? Promise.resolve(), /too many clones/);
  const ofThird = ask(slots, account(3));
  await rejected;
  assert.equal(slots.waiting, 4);
  await assert.rejects(ask(slots, account(1)), /too many clones/);
  const rejectedToo = assert.rejects(ofFirst[1] ?? Promise.resolve(), /too many clones/);
  const ofFourth = ask(slots, account(4));
  await rejectedToo;
  await assert.rejects(ask(slots, account(5)), /too many clones/, 'all callers have one');
  leave();
  for (const one of [...ofFirst.slice(0, 1), ofSecond, ofThird, ofFourth]) (await one)();
});
