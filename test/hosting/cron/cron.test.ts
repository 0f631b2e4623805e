import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';

const CRON = '/api/v1/admin/cron';
const NEVER = '0001-01-01T00:00:00Z';

interface Task {
  readonly name: string;
  readonly schedule: string;
  readonly next: string;
  readonly prev: string;
  readonly exec_times: number;
}

test('site administrators list the recurring work of the server under the names of the reference', async (t) => {
  const forge = await startForge(t);
  const { body } = await forge.root.get(CRON);
  const names = body.map(({ name }: Task) => name);
  assert.deepEqual(names, names.toSorted());
  for (const name of ['update_mirrors', 'archive_cleanup', 'gc_lfs', 'delete_old_actions', 'storage_sweep'])
    assert.ok(names.includes(name), name);
  for (const task of body) {
    assert.deepEqual(Object.keys(task), ['name', 'schedule', 'next', 'prev', 'exec_times']);
    assert.match(task.schedule, /^@every \d+[hms]/);
    assert.ok(Date.parse(task.next) > Date.parse('2020-01-01'), task.next);
  }
  const page = await forge.root.get(`${CRON}?limit=2&page=2`);
  assert.deepEqual(
    page.body.map(({ name }: Task) => name),
    names.slice(2, 4),
  );
  assert.equal(page.headers.get('x-total-count'), String(names.length));
});

test('a requested run begins soon, and counts', async (t) => {
  const forge = await startForge(t, { fresh: true });
  const find = async (): Promise<Task> =>
    (await forge.root.get(CRON)).body.find(({ name }: Task) => name === 'gc_lfs');
  const before = await find();
  assert.deepEqual([before.prev, before.exec_times], [NEVER, 0]);

  const requested = await forge.root.post(`${CRON}/gc_lfs`);

  assert.deepEqual([requested.status, requested.text], [204, '']);
  await until(async () => (await find()).exec_times === 1);
  const after = await find();
  assert.ok(Date.parse(after.prev) >= Date.parse(before.next) - 24 * 60 * 60_000, after.prev);
  assert.ok(Date.parse(after.next) >= Date.parse(after.prev), after.next);
});

test('one task may stand for work of several kinds', async (t) => {
  const forge = await startForge(t, { fresh: true });
  assert.equal((await forge.root.post(`${CRON}/update_mirrors`)).status, 204);
  await until(async () => {
    const { body } = await forge.root.get(CRON);
    return body.find(({ name }: Task) => name === 'update_mirrors').exec_times === 2;
  });
});

test('404: an unknown task; 403: other users; 401: without an account', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const name of ['none', 'lfs.sweep', '__proto__', 'GC_LFS'])
    assert.equal((await forge.root.post(`${CRON}/${name}`)).status, 404, name);
  assert.equal((await ada.get(CRON)).status, 403);
  assert.equal((await ada.post(`${CRON}/gc_lfs`)).status, 403);
  assert.equal((await forge.get(CRON)).status, 401);
});
