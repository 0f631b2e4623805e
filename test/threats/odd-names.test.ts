import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64, contentsOf, rawOf } from '../code/contents/files.ts';
import { startForge } from '../support/forge/forge.ts';
import { NotesApp } from '../support/forge/notes.ts';
import { git } from '../support/git/git.ts';
import { Crafter, PLAIN, startCrafting } from './crafted.ts';

const ODD = ['a\\b', 'tab\there', 'two\nlines', 'del\u007f', '\\..\\x'];

test('C2: a file that was pushed under an odd name can be read, listed, changed, deleted and moved away', async (t) => {
  const { ada, crafter, push } = await startCrafting(t);
  const blob = await crafter.blob('x');
  const names = [...ODD].sort();
  const below = await crafter.tree([['100644', 'f', blob]]);
  const tree = await crafter.tree(
    [...names.map((name) => ['100644', name, blob] as const), ['40000', 'odd\\folder', below]].sort(
      ([, one], [, other]) => Buffer.compare(Buffer.from(one as string), Buffer.from(other as string)),
    ) as never,
  );
  await push({ main: tree });
  const at = (path: string) => contentsOf('ada/engine', path);

  for (const name of [...ODD, 'odd\\folder/f']) {
    const about = JSON.stringify(name);
    const listed = await ada.get(`/api/v1/repos/ada/engine/commits?path=${encodeURIComponent(name)}`);
    assert.deepEqual([listed.status, listed.body.length], [200, 1], `${about} ${listed.text}`);
    assert.equal((await ada.get(rawOf('ada/engine', name))).text, 'x', about);
    const changed = await ada.put(at(name), { content: base64('y'), sha: blob });
    assert.equal(changed.status, 200, `${about} ${changed.text}`);
    const { sha } = changed.body.content;
    const again = await ada.get(`/api/v1/repos/ada/engine/commits?path=${encodeURIComponent(name)}&limit=1`);
    assert.equal(again.headers.get('x-total-count'), '2', about);
    if (name.startsWith('two')) {
      assert.equal((await ada.delete(at(name), { sha })).status, 200, about);
    } else {
      const moved = await ada.put(at(`moved-${Buffer.from(name).toString('hex')}`), {
        content: base64('y'),
        sha,
        from_path: name,
      });
      assert.equal(moved.status, 200, `${about} ${moved.text}`);
    }
    assert.equal((await ada.get(at(name))).status, 404, about);
    for (const created of [
      await ada.post(at(name), { content: '' }),
      await ada.post(at(`new\\folder/${ODD.indexOf(name)}`), { content: '' }),
    ])
      assert.equal(created.status, 422, `a new name keeps the rules: ${about}`);
  }
});

test('C9: a note that was pushed under an odd name can be saved and deleted', async (t) => {
  const forge = await startForge(t);
  const app = new NotesApp(forge, await forge.account('ada'));
  await app.create({ title: 'first' });
  const folder = await app.clone(t);
  const crafter = new Crafter(folder);
  const entries = ODD.slice(0, 4)
    .map((name) => `${name}.md`)
    .sort();
  const blob = await crafter.blob('x');
  const tree = await crafter.tree(entries.map((name) => ['100644', name, blob] as const));
  const parent = await git(folder, ['rev-parse', 'HEAD']);
  await git(folder, [
    'update-ref',
    'refs/heads/main',
    await crafter.commit(tree, `parent ${parent}\n${PLAIN}`),
  ]);
  await git(folder, ['push', '-q', 'origin', 'main']);
  const notes = await app.list();
  assert.equal(notes.length, entries.length);
  for (const { id } of notes) {
    assert.equal((await app.update(id, { content: 'saved' })).content, 'saved');
    assert.equal((await app.send('DELETE', `/${id}`)).status, 200);
  }
});
