import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_INFO_LIMITS } from '../../../src/hosting/node-info/limits.ts';
import { NodeInfo } from '../../../src/hosting/node-info/service.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { statementsOf } from '../../support/database/statements.ts';
import { startForge } from '../../support/forge/forge.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const ISSUES = '/api/v1/repos/ada/engine/issues';

test('anyone reads the software and the counts of the server', async (t) => {
  const forge = await startForge(t, { fresh: true });
  const ada = await forge.account('ada');
  await ada.repository('engine', { private: true });
  await ada.post(ISSUES, { title: 'It rattles' });
  await ada.post(ISSUES, { title: 'It hums' });
  await ada.patch(`${ISSUES}/2`, { state: 'closed' });
  await ada.post(`${ISSUES}/1/comments`, { body: 'Loudly.' });
  await ada.post('/api/v1/orgs', { username: 'guild' });

  const { status, body } = await forge.get('/api/v1/nodeinfo');

  assert.equal(status, 200);
  const { software, usage, ...rest } = body;
  assert.equal(software.name, 'quire');
  assert.match((await forge.get('/api/v1/version')).body.version, new RegExp(`quire-${software.version}$`));
  assert.deepEqual(rest, {
    version: '2.1',
    protocols: [],
    services: { inbound: [], outbound: ['atom1.0', 'rss2.0'] },
    openRegistrations: false,
    metadata: {},
  });
  assert.equal(
    (await forge.get('/ada.atom')).headers.get('content-type'),
    'application/atom+xml; charset=utf-8',
  );
  assert.equal(
    (await forge.get('/ada.rss')).headers.get('content-type'),
    'application/rss+xml; charset=utf-8',
  );
  const { users, ...counts } = usage;
  assert.deepEqual(counts, { localPosts: 2, localComments: 1 });
  assert.equal(users.total, 2, 'organizations do not count');
  assert.ok(users.activeMonth <= users.activeHalfyear && users.activeHalfyear <= users.total);
});

test('the site is counted once for all requests of an hour', async (t) => {
  const database = await openTestDatabase(t);
  const clock = new ManualClock();
  const { statements } = await statementsOf(database, async (reader) => {
    const nodeInfo = new NodeInfo({ database: { reader }, clock });
    await Promise.all([nodeInfo.count(), nodeInfo.count()]);
    clock.advance(NODE_INFO_LIMITS.countsRememberedMs - 1);
    await nodeInfo.count();
    clock.advance(1);
    await nodeInfo.count();
  });
  assert.equal(statements.length, 2);
});
