import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { distance } from '../../../src/notes/notebooks/writing/distance.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp, pushAll } from '../../support/forge/notes.ts';
import { git } from '../../support/git/git.ts';

async function device(forge: TestForge, person: Person): Promise<NotesApp> {
  return new NotesApp(forge, person, await person.tokenFor(['write:repository']));
}

/** Two devices of one user, each with an app password of its own. */
async function twoDevices(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  return { forge, ada, phone: await device(forge, ada), laptop: await device(forge, ada) };
}

test('an edit made offline is merged with the one that another device saved meanwhile', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await laptop.create({ title: 'n', content: 'milk\nbread\neggs\n' });
  await phone.list();
  await laptop.update(id, { content: 'milk\nbread\neggs\ncheese\n' });
  // The phone receives the list, and skips the note that it has edited.
  await phone.list();

  const saved = await phone.update(id, { content: 'oat milk\nbread\neggs\n' });

  assert.equal(saved.content, 'oat milk\nbread\neggs\ncheese\n');
  assert.equal((await laptop.note(id)).content, saved.content);
  const folder = await phone.clone(t);
  assert.equal(await git(folder, ['rev-list', '--merges', '--count', 'HEAD']), '1');
  const texts = await git(folder, ['log', '--all', '-m', '-p', '--format=']);
  assert.ok(texts.includes('+cheese') && texts.includes('+oat milk'), texts);
  assert.equal(await git(folder, ['show', 'HEAD^2:n.md']), 'oat milk\nbread\neggs');
});

test('one client that writes A, B, A ends with A', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await phone.create({ title: 'n', content: 'A' });
  await phone.update(id, { content: 'B' });
  await phone.update(id, { content: 'A' });
  assert.equal((await laptop.note(id)).content, 'A');
});

test('a client that edits what it received replaces the text of the other device', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await phone.create({ title: 'n', content: 'one line' });
  for (let round = 1; round <= 3; round += 1) {
    for (const app of [laptop, phone]) {
      const { content } = (await app.list())[0] ?? assert.fail();
      const edited = `${content} and more`;
      assert.equal((await app.update(id, { content: edited })).content, edited);
    }
  }
});

test('where two devices changed the same line, the note has both', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await laptop.create({ title: 'n', content: 'first\nline\nlast' });
  await phone.list();
  await laptop.update(id, { content: 'first\nline of the laptop\nlast' });
  const { content } = await phone.update(id, { content: 'first\nline of the phone\nlast' });
  assert.equal(content, 'first\nline of the laptop\nline of the phone\nlast');
});

test('title, category and favorite are merged one by one', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await laptop.create({ title: 'n', category: 'here', content: 'a\nb\n' });
  await phone.list();
  await laptop.update(id, { title: 'renamed', favorite: true });

  const saved = await phone.update(id, {
    title: 'n',
    category: 'there',
    favorite: false,
    content: 'a\nb\nc\n',
  });

  assert.deepEqual(
    [saved.title, saved.category, saved.favorite, saved.content],
    ['renamed', 'there', true, 'a\nb\nc\n'],
  );
});

test('an edit is merged with a push', async (t) => {
  const { phone } = await twoDevices(t);
  const { id } = await phone.create({ title: 'n', content: 'a\nb\nc\nd\n' });
  const folder = await phone.clone(t);
  await writeFile(join(folder, 'n.md'), 'a\nb\nc\nd, pushed\n');
  await pushAll(folder);
  assert.equal(
    (await phone.update(id, { content: 'a, saved\nb\nc\nd\n' })).content,
    'a, saved\nb\nc\nd, pushed\n',
  );
});

test('a list without texts is no base of an edit', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await laptop.create({ title: 'n', content: 'a\nb\nc\nd\n' });
  const first = await phone.send('GET');
  await laptop.update(id, { content: 'a\nb\nc\nd, laptop\n' });
  const etag = (await phone.send('GET', '?exclude=content')).headers.get('etag') ?? '';
  assert.equal(
    (await phone.send('GET', '?exclude=content', { headers: { 'if-none-match': etag } })).status,
    304,
  );
  await phone.send('GET', `?pruneBefore=${Math.floor(Date.now() / 1000) + 60}`);
  assert.equal(first.status, 200);
  // Were the laptop's version known to the phone, this would take it back.
  assert.equal(
    (await phone.update(id, { content: 'a, phone\nb\nc\nd\n' })).content,
    'a, phone\nb\nc\nd, laptop\n',
  );
});

test('a note that the phone alone has read is the base of its edit', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await laptop.create({ title: 'n', content: 'a\nb\nc\nd\n' });
  await phone.note(id);
  await laptop.update(id, { content: 'a\nb\nc\nd, laptop\n' });
  assert.equal(
    (await phone.update(id, { content: 'a, phone\nb\nc\nd\n' })).content,
    'a, phone\nb\nc\nd, laptop\n',
  );
});

test('other ends of lines are no edit of every line', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id } = await laptop.create({ title: 'n', content: 'a\r\nb\r\nc\r\nd\r\n' });
  await phone.list();
  await laptop.update(id, { content: 'a\r\nb\r\nc\r\nd, laptop\r\n' });
  const { content } = await phone.update(id, { content: 'a, phone\nb\nc\nd\n' });
  assert.equal(content, 'a, phone\r\nb\r\nc\r\nd, laptop\r\n');
});

test('an edit with If-Match is never merged', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  const { id, etag } = await laptop.create({ title: 'n', content: 'a\n' });
  await phone.list();
  await laptop.update(id, { content: 'a\nlaptop\n' });
  const headers = { 'if-match': `"${etag}"` };
  const stale = await phone.send('PUT', `/${id}`, { json: { content: 'phone\na\n' }, headers });
  assert.equal(stale.status, 412);
  assert.equal(stale.body.content, 'a\nlaptop\n');
});

test('no line that a user added is gone unless a user removed it', async (t) => {
  const { phone, laptop } = await twoDevices(t);
  let lines = 0;
  const newLine = () => {
    lines += 1;
    return `line ${lines}`;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          who: fc.integer({ min: 0, max: 1 }),
          act: fc.constantFrom('read', 'add', 'add', 'add', 'remove', 'change'),
          /** whether the client shows the response, or goes on with its own text */
          adopts: fc.boolean(),
          at: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        { minLength: 4, maxLength: 12 },
      ),
      async (steps) => {
        const begin = Array.from({ length: 4 }, newLine);
        const { id } = await laptop.create({ title: 'n', content: begin.join('\n') });
        const wanted = new Set(begin);
        const devices = await Promise.all(
          [phone, laptop].map(async (app) => ({ app, text: (await app.note(id)).content })),
        );
        for (const { who, act, adopts, at } of steps) {
          const one = devices[who] ?? assert.fail();
          if (act === 'read') {
            one.text = (await one.app.note(id)).content;
            continue;
          }
          const text = one.text === '' ? [] : one.text.split('\n');
          const place = Math.min(Math.floor(at * text.length), Math.max(0, text.length - 1));
          const old = text[place];
          if (act !== 'add' && old !== undefined) wanted.delete(old);
          const added = act === 'remove' ? [] : [newLine()];
          for (const line of added) wanted.add(line);
          text.splice(place, act === 'add' ? 0 : 1, ...added);
          const content = text.join('\n');
          const saved = await one.app.update(id, { content });
          one.text = adopts ? saved.content : content;
        }
        const left = new Set((await laptop.note(id)).content.split('\n'));
        for (const line of wanted) assert.ok(left.has(line), `${line} is gone`);
        await laptop.remove(id);
      },
    ),
    { numRuns: 15 },
  );
});

test('the distance of two texts is smaller for the one that was edited', () => {
  const base = 'a list\nof\nthree lines';
  assert.equal(distance(base, base), 0);
  assert.ok(distance('b2', 'b') < distance('b2', 'a'));
  // A new line is less than another line in place of one, however similar the two are.
  assert.ok(distance('b', 'a\nb') < distance('c\nb', 'a\nb'));
  assert.equal(distance('a\nb', 'b\na'), 1);
  assert.ok(distance(base, `${base}\nfour`) < distance('', `${base}\nfour`));
});
