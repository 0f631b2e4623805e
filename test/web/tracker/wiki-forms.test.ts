import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE } from '../../tracker/issues/tracker.ts';
import { HOSTILE, startReaders } from './readers.ts';

const WIKI = '/ada/engine/wiki';

test('people who may write create, change and delete pages of a wiki with forms', async (t) => {
  const { ada, browsers } = await startReaders(t);
  const { ben, cid } = browsers;
  assert.match((await ben.get(WIKI)).text, /no page yet.*Write the first one/s);
  assert.ok(!(await cid.get(WIKI)).text.includes('action=_new'));
  assert.equal((await cid.get(`${WIKI}?action=_new`)).status, 403);
  assert.match((await ben.get(`${WIKI}?action=_new`)).text, /value="Home"/);
  const home = { title: 'Home', content: 'It *works*\r\nwell', message: '' };
  assert.equal((await cid.post(`${WIKI}?action=_new`, home)).status, 403);
  const bad = await ben.post(`${WIKI}?action=_new`, { ...home, title: ' ', content: HOSTILE });
  assert.equal(bad.status, 422);
  assert.ok(bad.text.includes('&lt;script&gt;') && !bad.text.includes('<script'));
  const made = await ben.post(`${WIKI}?action=_new`, home);
  assert.deepEqual([made.status, made.headers.get('location')], [303, `${WIKI}/Home`]);
  assert.match((await cid.get(WIKI)).text, /<h1>Home<\/h1>.*<em>works<\/em>/s);
  assert.equal((await ben.post(`${WIKI}?action=_new`, home)).status, 422);

  assert.match((await ben.get(`${WIKI}/Home?action=_edit`)).text, /It \*works\*\nwell<\/textarea>/);
  const edited = await ben.post(`${WIKI}/Home?action=_edit`, {
    title: 'Start',
    content: 'New',
    message: 'Rename <it>',
  });
  assert.equal(edited.headers.get('location'), `${WIKI}/Start`);
  const history = await cid.get(`${WIKI}/Start?action=_revision`);
  assert.match(history.text, /1 change of .*Rename &lt;it&gt;/s);
  for (const action of ['_edit', '_delete']) {
    assert.equal((await cid.post(`${WIKI}/Start?action=${action}`, home)).status, 403, action);
    assert.equal((await ben.post(`${WIKI}/Missing?action=${action}`, home)).status, 404, action);
    const options = { headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await ben.post(`${WIKI}/Start?action=${action}`, home, options)).status, 403, action);
  }
  assert.equal((await ben.post(`${WIKI}/Start?action=nothing`, home)).status, 404);
  const deleted = await ben.post(`${WIKI}/Start?action=_delete`, {});
  assert.deepEqual([deleted.status, deleted.headers.get('location')], [303, WIKI]);
  assert.match((await cid.get(WIKI)).text, /no page yet/);
  await ada.patch(ENGINE, { private: true });
  for (const path of [WIKI, `${WIKI}?action=_new`, `${WIKI}/Start?action=_edit`])
    assert.equal((await cid.get(path)).status, 404, path);
  assert.equal((await cid.post(`${WIKI}?action=_new`, home)).status, 404);
});
