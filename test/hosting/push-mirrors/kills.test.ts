import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createRepository,
  placeOf,
  serveSite,
  startServerProcess,
} from '../../code/transport/server-process.ts';
import { endLeases } from '../../support/database/job-leases.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { type Answer, request } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';
import { commitTo, refsAt } from '../mirrors/backend.ts';
import { pushed, startTarget } from './targets.ts';

const ENVIRONMENT = { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' };

test('a server killed while it pushes to a target goes on with the update when it runs again', async (t) => {
  let kill: (() => void) | null = null;
  let isTaken = true;
  const target = await startTarget(t, {
    intercept: async ({ url = '' }) => {
      if (kill === null || !url.endsWith('/git-receive-pack')) return false;
      kill();
      kill = null;
      // The target moves its refs, and no one reads its answer, or it does not.
      return !isTaken;
    },
  });
  const first = await startServerProcess(t, ENVIRONMENT);
  const remote = await createRepository(first, 'engine');
  const mirrors = '/api/v1/repos/root/engine/push_mirrors';
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '--bare', '-b', 'main', '.']);
  const added: Answer = await request('POST', `${first.url}${mirrors}`, {
    as: first.admin,
    json: { remote_address: target.url, interval: '0', sync_on_commit: true },
  });
  assert.equal(added.status, 200, added.text);
  let running = first.running;
  let url = remote;
  for (const takes of [false, true]) {
    isTaken = takes;
    const { child } = running;
    kill = () => child.kill('SIGKILL');
    await commitTo(folder, 'main', `taken: ${takes}`);
    await git(folder, ['push', '-q', '--mirror', url]);
    assert.deepEqual(await running.ended(), { code: null, signal: 'SIGKILL' });
    await endLeases(first);
    const again = await serveSite(t, first, ENVIRONMENT);
    await until(async () => (await refsAt(target.folder)).join() === (await refsAt(folder)).join());
    running = again.running;
    const { pathname, username, password } = new URL(url);
    url = Object.assign(new URL(pathname, again.url), { username, password }).href;
  }
  running.child.kill('SIGKILL');
  await running.ended();
  await endLeases(first);
  const forge = await startForge(t, { ...placeOf(first), settings: { outboundAllow: '127.0.0.1' } });
  await pushed(forge);
  const [row] = await forge.forge.running.engines.database.reader
    .selectFrom('push_mirrors')
    .select(['error', 'due_at', 'failures'])
    .execute();
  assert.deepEqual(row, { error: '', due_at: null, failures: 0 });
});
