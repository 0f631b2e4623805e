import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { file, historyOf, statusAndMessage } from './engine.ts';
import { base64, contentsOf } from './files.ts';

const ZERO_TIME = '0001-01-01T00:00:00Z';

test('the default commit message names the action', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const messages: string[] = [];
  const send = async (method: string, path: string, body: Record<string, unknown>) => {
    const answer = await ada.send(method, file(path), { json: body });
    messages.push(answer.body.commit.message);
    return answer.body.content?.sha;
  };

  const first = await send('POST', 'a b.txt', { content: base64('1') });
  const second = await send('PUT', 'a b.txt', { content: base64('2'), sha: first, message: ' \n ' });
  const third = await send('PUT', 'c.txt', {
    content: base64('2'),
    sha: second,
    from_path: 'a b.txt',
    message: '',
  });
  await send('DELETE', 'c.txt', { sha: third, signoff: true });

  assert.deepEqual(messages, [
    'Add a b.txt\n',
    'Update a b.txt\n',
    'Update c.txt\n',
    'Delete c.txt\n\nSigned-off-by: ada <ada@example.org>',
  ]);
});

test('author and committer default to each other, and without either, to the caller', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada', { full_name: 'Ada Lovelace' });
  await ada.repository('engine', { auto_init: true });
  const [one, two] = [
    { name: 'One', email: 'one@example.org' },
    { name: 'Two', email: 'two@example.org' },
  ];
  const self = { name: 'Ada Lovelace', email: 'ada@example.org' };
  const cases: [sent: Record<string, unknown>, author: typeof one, committer: typeof one][] = [
    [{}, self, self],
    [{ author: one }, one, one],
    [{ committer: two }, two, two],
    [{ author: one, committer: two }, one, two],
    [{ author: { name: 'No address' } }, self, self],
    [{ author: { name: 'No address', email: '' }, committer: two }, two, two],
    [{ author: { email: 'ada@example.org' } }, self, self],
    [
      { author: { email: 'bare@example.org' } },
      { name: 'bare', email: 'bare@example.org' },
      { name: 'bare', email: 'bare@example.org' },
    ],
  ];
  for (const [index, [sent, author, committer]] of cases.entries()) {
    const { body } = await ada.post(file(`f${index}`), { content: '', ...sent });
    const named = ({ name, email }: typeof one) => ({ name, email });
    assert.deepEqual(
      [named(body.commit.author), named(body.commit.committer)],
      [author, committer],
      JSON.stringify(sent),
    );
  }
});

test('a caller with a hidden e-mail address commits with the no-reply address', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('Ada');
  await forge.root.patch('/api/v1/admin/users/ada', { hide_email: true });
  await ada.repository('engine', { auto_init: true });

  const created = await ada.post(contentsOf('ada/engine', 'a'), { content: '' });

  assert.deepEqual(created.body.commit.author.email, 'ada@noreply.127.0.0.1');
  const stated = await ada.post(contentsOf('ada/engine', 'b'), {
    content: '',
    author: { email: 'ada@example.org' },
  });
  const { name, email } = stated.body.commit.author;
  assert.deepEqual([name, email], ['Ada', 'ada@example.org'], 'a request may state the hidden address');
});

test('dates keep their zone; an absent, empty or zero date is the current time', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const before = Math.floor(Date.now() / 1000);
  const zero = [
    {},
    { author: '', committer: '' },
    { author: ZERO_TIME, committer: '0001-01-01T01:00:00+01:00' },
  ];
  for (const [index, dates] of zero.entries()) {
    const { body } = await ada.post(file(`now${index}`), { content: '', dates });
    for (const person of [body.commit.author, body.commit.committer]) {
      const at = Date.parse(person.date) / 1000;
      assert.ok(at >= before && at <= Date.now() / 1000, person.date);
    }
  }
  await ada.post(file('dated'), {
    content: '',
    dates: { author: '1970-01-01T00:00:00Z', committer: '2199-12-31T23:59:59-11:30' },
  });

  assert.equal(
    (await historyOf(t, ada, '%at %ad %ct %cd'))[0],
    '0 Thu Jan 1 00:00:00 1970 +0000 7258161599 Tue Dec 31 23:59:59 2199 -1130'.replace(
      '7258161599',
      String(Date.parse('2199-12-31T23:59:59-11:30') / 1000),
    ),
  );
  for (const date of [
    'yesterday',
    '2026-01-02',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-01-02T03:04:05',
    '1969-12-31T23:59:59Z',
    '2026-01-02T03:04:05+99:00',
    '1767322445',
  ]) {
    const [status, message] = statusAndMessage(
      await ada.post(file('bad'), { content: '', dates: { author: date } }),
    );
    assert.equal(status, 422, date);
    assert.match(message, /\S/);
  }
});
