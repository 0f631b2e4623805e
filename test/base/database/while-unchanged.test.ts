import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WhileUnchanged } from '../../../src/base/database/while-unchanged.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { insertAccount, openAt } from './accounts.ts';

test('a value is remembered until another connection commits', async (t) => {
  const location = await databaseLocation(t);
  const [reading, writing] = [openAt(t, location), openAt(t, location)];
  const remembered = new WhileUnchanged<string, { names: number }>(reading, { entriesMax: 2 });
  let reads = 0;
  const count = async () => {
    reads += 1;
    const rows = await reading.reader.selectFrom('accounts').select('name').execute();
    return { names: rows.length };
  };

  const counts = [await remembered.get('all', count), await remembered.get('all', count)];
  await writing.transaction((tx) => insertAccount(tx, 'ada'));
  counts.push(await remembered.get('all', count), await remembered.get('all', count));
  await reading.transaction((tx) => insertAccount(tx, 'bob'));
  counts.push(await remembered.get('all', count));

  assert.deepEqual(
    counts.map((each) => each?.names),
    [0, 0, 1, 1, 2],
  );
  // A database that answers over a network is read each time.
  assert.equal(reads, reading.dialect === 'sqlite' ? 3 : 5);
});

test('a value that was read before a commit is not remembered after it', async (t) => {
  const location = await databaseLocation(t);
  const [reading, writing] = [openAt(t, location), openAt(t, location)];
  const remembered = new WhileUnchanged<string, { text: string }>(reading, { entriesMax: 2 });
  const { promise, resolve } = Promise.withResolvers<{ text: string }>();

  const slow = remembered.get('key', () => promise);
  await writing.transaction((tx) => insertAccount(tx, 'ada'));
  await remembered.get('other', async () => ({ text: 'other' }));
  resolve({ text: 'old' });

  assert.deepEqual(await slow, { text: 'old' });
  assert.deepEqual(await remembered.get('key', async () => ({ text: 'new' })), { text: 'new' });
});
