import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person, TestForge } from '../support/forge/forge.ts';
import { open, startTracker, type Wire } from '../tracker/issues/tracker.ts';

const SEARCH = '/api/v1/repos/issues/search';
const HIDDEN = '/api/v1/repos/ada/hidden/issues';
const OWN = '/api/v1/repos/eve/own/issues';

/** Fills up a query, so that the room that its words share is small. */
const SHORT = ['"a"', '"a" "b"', '"a" "a" "a" "a"', '"a" "a" "a" "a" "a" "a" "a" "a" "a"'];
const QUERIES = [
  ...['hun', 'hunter', 'hunterz', 'hunterzz', 'hunterzzz', 'hunterza', '"hunterz"', 'a', 'hunterz comm'],
  ...SHORT.map((words) => `hunterz ${words}`),
];

/** What an answer shows: the issues, and the headers of a search. */
async function seenAt(who: Person | TestForge, url: string): Promise<readonly unknown[]> {
  const { status, body, headers } = await who.get(url);
  assert.equal(status, 200, url);
  const titles = body.map(({ title }: Wire) => title);
  return [titles, ...['x-total-count', 'x-search-incomplete', 'link'].map((name) => headers.get(name))];
}

test('B9: words of hidden issues change no search of others: not its issues, and not its headers', async (t) => {
  const { forge, ada, cid } = await startTracker(t);
  const eve = await forge.account('eve');
  await eve.repository('own');
  const label = (await eve.post('/api/v1/repos/eve/own/labels', { name: 'bug', color: 'f00' })).body.id;
  await open(eve, 'Hunterzz in a title', {}, OWN);
  await open(eve, 'Text', { body: 'a b hunterzzz', labels: [label] }, OWN);
  await open(eve, 'Comment', {}, OWN);
  await eve.post(`${OWN}/3/comments`, { body: 'a b hunterzzzz common' });
  await ada.repository('hidden', { private: true });

  const urls = QUERIES.map((words) => `q=${encodeURIComponent(words)}&state=all&limit=2`).flatMap((query) => [
    `${OWN}?${query}`,
    `${OWN}?${query}&labels=bug`,
    `${SEARCH}?${query}`,
    `${SEARCH}?${query}&labels=bug`,
    `${SEARCH}?${query}&owner=eve`,
    `${SEARCH}?${query}&owner=ada`,
    `${SEARCH}?${query}&created=true`,
  ]);
  const seen = async () => {
    const answers: Record<string, readonly unknown[]> = {};
    for (const who of [eve, cid, forge])
      for (const url of urls)
        answers[`${who === forge ? 'visitor' : (who as Person).name} ${url}`] = await seenAt(who, url);
    return answers;
  };
  const before = await seen();
  const [titles, total] = before[`eve ${SEARCH}?q=hunterz&state=all&limit=2`] ?? [];
  assert.deepEqual([titles, total], [['Hunterzz in a title', 'Text'], '3']);

  // They sort before and between the words of others, and are as short as these or shorter.
  const words = [...'abcdefghijklmnopqrstuvwxy'].flatMap((letter) => [
    `hun${letter}`,
    `hunterz${letter}`,
    `hunterzz${letter}`,
    `comm${letter}`,
  ]);
  await open(ada, `hunter hunterz a ${words.slice(0, 20).join(' ')}`, { body: words.join(' ') }, HIDDEN);
  for (const word of words) await open(ada, word, { body: `a b ${word}` }, HIDDEN);
  await ada.post(`${HIDDEN}/1/comments`, { body: words.join(' ') });
  assert.deepEqual(await seen(), before);
  await ada.delete('/api/v1/repos/ada/hidden');
  assert.deepEqual(await seen(), before);
});
