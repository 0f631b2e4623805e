import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldIn } from '../../support/http/page-reader.ts';
import { until } from '../../support/until.ts';
import { open } from '../../tracker/issues/tracker.ts';
import { startReaders } from './readers.ts';

const PAGE = '/notifications';

test('a person reads notifications on a page, and marks one or all of them', async (t) => {
  const { ada, cid, browsers } = await startReaders(t);
  await ada.put('/api/v1/repos/ada/engine/subscription');
  await open(cid, 'It <hums>');
  await open(cid, 'It rattles');
  await until(async () => (await ada.get('/api/v1/notifications')).body.length === 2);

  const list = await browsers.ada.get(PAGE);

  for (const part of ['href="/ada/engine/issues/1"', 'It &lt;hums&gt;', '<span class="count">2</span>'])
    assert.ok(list.text.includes(part), part);
  const id = fieldIn(list.text, 'notification_id');
  const mark = (status: string, fields = {}) =>
    browsers.ada.post(`${PAGE}/status`, { notification_id: id, status, ...fields });
  const read = await mark('read');
  assert.deepEqual([read.status, read.headers.get('location')], [303, PAGE]);
  const shown = async (path: string) =>
    [...(await browsers.ada.get(path)).text.matchAll(/class="subject"/g)].length;
  assert.deepEqual([await shown(PAGE), await shown(`${PAGE}?q=read`)], [1, 1]);
  const unread = await mark('unread', { list: 'read' });
  assert.equal(unread.headers.get('location'), `${PAGE}?q=read`);
  await mark('pinned');
  assert.match((await browsers.ada.get(PAGE)).text, /<span class="badge">pinned/);
  assert.equal((await mark('else')).status, 422);
  assert.equal((await browsers.ada.post(`${PAGE}/status`, { status: 'read' })).status, 422);
  assert.equal(
    (await browsers.cid.post(`${PAGE}/status`, { notification_id: id, status: 'read' })).status,
    403,
  );
  for (const path of ['status', 'purge']) {
    const options = { headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await browsers.ada.post(`${PAGE}/${path}`, {}, options)).status, 403);
  }

  assert.equal((await browsers.ada.post(`${PAGE}/purge`, {})).status, 303);

  assert.deepEqual([await shown(PAGE), await shown(`${PAGE}?q=read`)], [1, 1]);
  assert.match((await browsers.ben.get(PAGE)).text, /Nothing new/);
});

test('a person who opens an issue has read its notification', async (t) => {
  const { ada, cid, browsers } = await startReaders(t);
  await ada.put('/api/v1/repos/ada/engine/subscription');
  await open(cid, 'It hums');
  const unread = async () => (await ada.get('/api/v1/notifications/new')).body.new;
  await until(async () => (await unread()) === 1);
  await ada.get('/ada/engine/issues/1');
  assert.equal(await unread(), 1);

  await browsers.ada.get('/ada/engine/issues/1');

  assert.equal(await unread(), 0);
  assert.match((await browsers.ada.get(`${PAGE}?q=read`)).text, /It hums/);
});
