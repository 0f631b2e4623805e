import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { startSource } from '../../base/outbound/servers.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { until } from '../../support/until.ts';
import { open } from '../issues/tracker.ts';

export interface FilledSource {
  readonly source: TestForge;
  readonly ada: Person;
  /** of its issues, the newest first */
  readonly numbers: readonly number[];
}

/** Starts a forge with a private repository `ada/engine` that has all that an import takes. */
export async function startFilledSource(t: TestContext): Promise<FilledSource> {
  const source = await startForge(t);
  const [ada, cid] = [await source.account('ada'), await source.account('cid')];
  const at = '/api/v1/repos/ada/engine';
  await ada.repository('engine', { auto_init: true, issue_labels: 'Default', description: 'Turns' });
  await ada.patch(at, { website: 'https://example.org/engine' });
  await ada.put(`${at}/topics`, { topics: ['steam', 'gears'] });
  await ada.put(`${at}/collaborators/cid`, { permission: 'write' });
  const label = (await ada.post(`${at}/labels`, { name: 'kind/odd', color: '#00aabb', exclusive: true }))
    .body;
  const milestones = [
    await ada.post(`${at}/milestones`, {
      title: 'One',
      due_on: '2031-01-02T00:00:00Z',
      description: 'First',
    }),
    await ada.post(`${at}/milestones`, { title: 'Two', state: 'closed' }),
  ].map(({ body }) => body.id);
  const add = (title: string, fields: object, who = ada) => open(who, title, fields, `${at}/issues`);
  await add('It rattles', {
    body: 'When it *turns*, <b>loudly</b>',
    labels: [label.id],
    milestone: milestones[0],
  });
  await add('It hums', { closed: true, milestone: milestones[0], ref: 'main' }, cid);
  await add('It is lost', {});
  await add('It is due', { due_date: '2032-05-06T00:00:00Z', assignees: ['cid'], milestone: milestones[1] });
  await add('It is locked', { closed: true });
  await add('It is pinned', {});
  await add('It is gone', {});
  for (const number of [3, 7]) assert.equal((await ada.delete(`${at}/issues/${number}`)).status, 204);
  await ada.put(`${at}/issues/5/lock`, { lock_reason: 'Spam' });
  assert.equal((await ada.post(`${at}/issues/6/pin`)).status, 204);
  await ada.patch(`${at}/issues/6`, { state: 'closed' });
  for (const [who, number, body] of [
    [cid, 1, 'Use a spanner'],
    [ada, 4, 'Soon, @ada #1'],
    [ada, 1, 'Done'],
  ] as const)
    assert.equal((await who.post(`${at}/issues/${number}/comments`, { body })).status, 201);
  await ada.patch(at, { private: true });
  return { source, ada, numbers: [6, 5, 4, 2, 1] };
}

/** Waits until the words of imported issues are indexed and no job of imports is left. */
export async function finished({ forge }: TestForge): Promise<void> {
  const { reader } = forge.running.engines.database;
  await until(async () => {
    const jobs = await reader
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', 'issues.finish-import')
      .execute();
    return jobs.length === 0;
  });
}

/** Answers by their paths below that of the repository. A number is a status, a text is sent as it is. */
type Answers = Readonly<Record<string, unknown>>;

/**
 * Starts a server with an empty repository of ada, who may fill it, and whose API answers what `answerOf` returns: for
 * a function, what that returns for the number of the page; for other values, that on the first page. A promise may
 * let the client wait.
 */
export async function startFakeFamily(
  t: TestContext,
  answerOf: (path: string, records: Answers) => unknown,
): Promise<{ readonly url: string; readonly records: Answers; readonly ada: Person }> {
  const source = await startForge(t);
  const ada = await source.account('ada');
  await ada.repository('engine');
  const records = {
    '': { description: '', website: '', topics: [] },
    labels: [],
    milestones: [],
    issues: [],
    'issues/comments': [],
    pulls: [],
  };
  const port = await startSource(t, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://source');
    const [, path] = /^\/api\/v1\/repos\/ada\/engine\/?(.*)$/.exec(pathname) ?? [];
    if (path === undefined) {
      const sent = await buffer(request);
      const answer = await fetch(`${source.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: {
          'git-protocol': request.headers['git-protocol']?.toString() ?? '',
          'content-type': request.headers['content-type'] ?? '',
        },
        ...(sent.length === 0 ? {} : { body: sent }),
      });
      const { status, headers } = answer;
      response.writeHead(status, { 'content-type': headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
      return;
    }
    const given = await answerOf(path, records);
    const page = Number(searchParams.get('page') ?? 1);
    const answer =
      typeof given === 'function' ? await given(page) : page === 1 || !Array.isArray(given) ? given : [];
    if (typeof answer === 'number') response.writeHead(answer);
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  return { url: `http://127.0.0.1:${port}/ada/engine`, records, ada };
}
