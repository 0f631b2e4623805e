import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

test('the start page leads to the sign-in, and then to the settings and the sign-out', async (t) => {
  const forge = await startForge(t);
  const reader = new PageReader(forge);
  assert.match((await reader.get('/')).text, /href="[^"]*\/user\/login">Sign in</);
  await reader.signIn(await forge.account('ada'));
  const { text } = await reader.get('/');
  assert.match(text, /<\/svg>ada<\/summary>/);
  assert.match(text, /\/user\/settings">Settings<[\s\S]*\/user\/logout">Sign out</);
  assert.doesNotMatch(text, />Sign in</);
  const settings = await reader.get('/user/settings');
  assert.equal(settings.status, 200);
  for (const [, path = ''] of settings.text.matchAll(/<li><a href="([^"]+)"/g))
    assert.equal((await reader.get(path)).status, 200, path);
});
