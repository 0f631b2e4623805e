import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';
import { startForge } from '../support/forge/forge.ts';

/** Texts close to a name, with characters that paths, URLs, shells and file systems interpret. */
const nearName = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  anyText({ maxLength: 8 }),
  fc
    .array(
      fc.constantFrom(
        'a',
        'Z',
        '0',
        '.',
        '..',
        '-',
        '_',
        '/',
        '\\',
        ':',
        '%2f',
        '%00',
        '\0',
        ' ',
        '~',
        '$',
        '`',
        '|',
        '\n',
        '.git',
        '.wiki',
        '@',
        'é',
        '\u200d',
        '\u202e',
        'ｇ',
        '\ud800',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
);
const PLAIN = /^[A-Za-z0-9_.-]{1,100}$/;

test('C1: a request with any name creates a repository with a plain name or none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const before = await readdir(forge.forge.dataFolder);
  const property = fc.asyncProperty(nearName, async (name) => {
    const created = await ada.post('/api/v1/user/repos', { name });
    assert.ok([201, 409, 422].includes(created.status), `${JSON.stringify(name)}: ${created.status}`);
    if (created.status !== 201) return;
    assert.match(name, PLAIN);
    assert.doesNotMatch(name, /^\.\.?$|^-$|\.(?:git|wiki|rss|atom)$/i);
    const read = await ada.get(`/api/v1/repos/ada/${encodeURIComponent(name)}`);
    // Clients remove segments of dots from a path before they send it.
    if (!/^\.+$/.test(name)) assert.equal(read.body.id, created.body.id, name);
  });

  await fc.assert(property, { numRuns: 400 });

  assert.deepEqual(await readdir(forge.forge.dataFolder), before, 'a name became a file');
});

test('C1: a request with any name creates an account with a plain name or none', async (t) => {
  const forge = await startForge(t);
  const property = fc.asyncProperty(nearName, async (username) => {
    const body = { username, email: `x${Math.random().toString(36).slice(2)}@example.org` };
    const created = await forge.root.post('/api/v1/admin/users', body);
    assert.ok(
      [201, 422].includes(created.status),
      `${JSON.stringify(username)}: ${created.status} ${created.text}`,
    );
    if (created.status === 201) assert.match(username, /^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/);
  });

  await fc.assert(property, { numRuns: 200 });
});

test('C1: every path with an impossible name returns 404', async (t) => {
  const forge = await startForge(t);
  const property = fc.asyncProperty(nearName, nearName, async (owner, name) => {
    fc.pre(
      owner.isWellFormed() && name.isWellFormed() && !/^\.{0,2}$/.test(owner) && !/^\.{0,2}$/.test(name),
    );
    const path = `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    const api = await forge.get(`/api/v1/repos/${path}`);
    assert.equal(api.status, 404, path);
    const git = await forge.get(`/${path}/info/refs?service=git-upload-pack`);
    assert.ok([401, 404].includes(git.status), `${path}: ${git.status}`);
  });

  await fc.assert(property, { numRuns: 200 });
});
