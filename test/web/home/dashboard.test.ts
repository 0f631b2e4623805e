import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { until } from '../../support/until.ts';

test('the first page of a user shows what is theirs and what waits for them', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  await ada.repository('loom', { auto_init: true });
  await ada.repository('secret', { private: true });
  await ben.repository('other');
  await ben.put('/api/v1/user/subscriptions/ada/loom');
  await ada.post('/api/v1/repos/ada/loom/issues', { title: '<b>Threads</b> break', assignees: ['ada'] });
  const reader = new PageReader(forge);
  await reader.signIn(ada);

  // A job records activities.
  await until(async () => (await reader.get('/')).text.includes('opened issue ada/loom#1'));
  const { text } = await reader.get('/');

  assert.match(text, /ada\/<strong>loom<\/strong>/);
  assert.match(text, /ada\/<strong>secret<\/strong>/);
  assert.doesNotMatch(text, /ben\/<strong>other/);
  assert.match(text, /Assigned issues[\s\S]*href="\/ada\/loom\/issues\/1">&lt;b&gt;Threads/);

  await t.test('the search finds repositories of the user alone', async () => {
    const found = (await reader.get('/?q=oom')).text;
    assert.match(found, /ada\/<strong>loom<\/strong>/);
    assert.doesNotMatch(found, /ada\/<strong>secret/);
    assert.match((await reader.get('/?q=other')).text, /No repository matches/);
  });

  await t.test('a stranger sees what everyone sees', async () => {
    const start = (await forge.get('/')).text;
    assert.match(start, /ben\/<strong>other<\/strong>/);
    assert.doesNotMatch(start, /secret/);
  });

  await t.test('a token without the scopes of the lists sees what a stranger sees', async () => {
    const as = { name: 'ada', password: ada.password };
    const json = { name: 'small', scopes: ['read:misc'] };
    const { body } = await forge.send('POST', '/api/v1/users/ada/tokens', { as, json });
    const start = await forge.get('/', { headers: { authorization: `token ${body.sha1}` } });
    assert.equal(start.status, 200);
    assert.doesNotMatch(start.text, /secret/);
    assert.doesNotMatch(start.text, /Threads/);
  });
});
