import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../support/forge/forge.ts';
import { endJobs } from '../support/git/started-processes.ts';
import { collectLog } from '../support/log-lines.ts';
import { until } from '../support/until.ts';
import { attach } from '../tracker/issues/attachments/attachment-files.ts';

const ROOT = '/api/v1/repos/ada/loom';
const REFS = ['git/refs', 'git/refs/heads/main', 'git/ref/heads/main', 'git/matching-refs/heads'];
const PROTECTIONS = ['branch_protections', 'branch_protections/release', 'tag_protections'];
const BINARY = ['raw/README.md', 'media/README.md', 'archive/main.zip', 'git/commits/main.diff'];

test('a read that the caller has already is answered with 304, and that is no fault in the log', async (t) => {
  const forge = await startForge(t, { logLevel: 'error' });
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  await ada.post(`${ROOT}/contents/.editorconfig`, {
    content: Buffer.from('[*]\ncharset=utf-8').toString('base64'),
  });
  await ada.post(`${ROOT}/tags`, { tag_name: 'v1', message: 'First' });
  await ada.post(`${ROOT}/branch_protections`, { rule_name: 'release' });
  const { id: protection } = (
    await ada.post(`${ROOT}/tag_protections`, { name_pattern: 'w*', whitelist_usernames: ['ada'] })
  ).body;
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const labels: number[] = [];
  for (const at of [ROOT, '/api/v1/orgs/guild'])
    labels.push((await ada.post(`${at}/labels`, { name: 'bug', color: 'fff' })).body.id);
  const milestone = (await ada.post(`${ROOT}/milestones`, { title: 'Soon' })).body.id;
  await ada.post(`${ROOT}/issues`, { title: 'It rattles' });
  const comment = (await ada.post(`${ROOT}/issues/1/comments`, { body: 'Loudly.' })).body.id;
  const assets = [`issues/1/assets`, `issues/comments/${comment}/assets`];
  const attachments: string[] = [];
  for (const at of assets) {
    const { id } = await attach(ada, `${ROOT}/${at}`);
    attachments.push(at, `${at}/${id}`);
  }
  for (const branch of ['pump', 'valve']) {
    await ada.post(`${ROOT}/contents/${branch}.md`, { content: 'YQo=', branch: 'main', new_branch: branch });
    await ada.post(`${ROOT}/pulls`, { title: branch, base: 'main', head: branch });
  }
  await ada.post(`${ROOT}/pulls/2/merge`, { Do: 'merge' });
  await ada.post(`${ROOT}/git/notes/main`, { message: 'Tested.' });
  const merged = (await ada.get(`${ROOT}/pulls/2`)).body.merge_commit_sha;
  const { id: review } = (
    await forge.root.post(`${ROOT}/pulls/3/reviews`, {
      event: 'COMMENT',
      comments: [{ path: 'valve.md', new_position: 1, body: 'Why?' }],
    })
  ).body;
  const reviews = ['', `/${review}`, `/${review}/comments`].map((each) => `pulls/3/reviews${each}`);
  const onLine = (await ada.get(`${ROOT}/${reviews[2]}`)).body[0].id;
  const { id: release } = (await ada.post(`${ROOT}/releases`, { tag_name: 'v1' })).body;
  const { id: asset } = await attach(ada, `${ROOT}/releases/${release}/assets`);
  const [{ id: team }] = (await ada.get('/api/v1/orgs/guild/teams')).body;
  // Nothing changes the record of a repository without commits meanwhile.
  await ada.repository('plan');
  await forge.root.post('/api/v1/repos/ada/plan/issues', { title: 'It hums' });
  const threads = async () => (await ada.get('/api/v1/notifications')).body;
  const isOfPlan = ({ repository }: { repository: { name: string } }) => repository.name === 'plan';
  await until(async () => (await threads()).some(isOfPlan));
  const { id: thread } = (await threads()).find(isOfPlan);
  const { sha: blob, last_commit_sha: commit } = (await forge.get(`${ROOT}/contents/README.md`)).body;
  const tag = (await forge.get(`${ROOT}/tags/v1`)).body.id;
  const body = encodeURIComponent(JSON.stringify({ files: ['README.md'] }));
  const paths = [
    ...BINARY,
    ...['branches/main', 'tags/v1', `git/tags/${tag}`, `git/blobs/${blob}`, 'git/trees/main'],
    ...[`git/commits/${commit}`, 'commits', 'compare/main...v1', 'contents', 'contents/README.md'],
    ...['contents-ext', 'contents-ext/README.md', `file-contents?body=${body}`],
    ...[...REFS, ...PROTECTIONS, 'branches', 'tags', 'languages', 'git/notes/main', `git/blobs?shas=${blob}`],
    ...['statuses/main', 'commits/main/statuses', 'commits/main/status', `tag_protections/${protection}`],
    ...[
      'labels',
      `labels/${labels[0]}`,
      ...['', `/${labels[1]}`].map((each) => `../../../orgs/guild/labels${each}`),
    ],
    ...['milestones', `milestones/${milestone}`, 'issues', 'issues/1', '../../../repos/issues/search'],
    ...['issues/1/subscriptions', 'issues/1/subscriptions/check'],
    ...['issues/comments', `issues/comments/${comment}`, 'issues/1/comments'],
    ...['issues/1/dependencies', 'issues/1/blocks', 'notifications'],
    ...['issues/1/timeline', 'issues/1/labels', ...attachments],
    ...['issues/pinned', 'new_pin_allowed', 'issues/1/reactions', `issues/comments/${comment}/reactions`],
    ...['issues/1/times', 'times', 'times/ada', '../../../user/times'],
    ...['pulls', 'pulls/pinned', 'pulls/3', 'pulls/main/valve', 'pulls/3/commits', 'pulls/3/files'],
    ...['pulls/3.diff', `commits/${merged}/pull`, ...reviews, `${reviews[2]}/${onLine}`],
    ...['issue_templates', 'issue_config', 'issue_config/validate', 'editorconfig/README.md'],
    ...[
      'activities/feeds',
      `../../../orgs/guild/activities/feeds`,
      `../../../teams/${team}/activities/feeds`,
    ],
    ...['../../../users/ada/activities/feeds', '../../../users/ada/heatmap'],
    ...['releases', 'releases/latest', 'releases/tags/v1', `releases/${release}`],
    ...['', `/${asset}`].map((each) => `releases/${release}/assets${each}`),
    ...['', '/new', `/threads/${thread}`].map((each) => `../../../notifications${each}`),
  ];
  const lines = collectLog(forge.forge.running.app);
  const { body: document } = await forge.get('/api/v1/openapi.json');
  const described = Object.entries<{ get?: { responses: object } }>(document.paths).filter(
    ([, { get }]) => get !== undefined && '304' in get.responses,
  );
  // One of them measures the repository, and statuses show its size.
  await endJobs(forge);
  await forge.forge.running.services.activityRecorder.catchUp();

  for (const path of paths) {
    const etag = (await ada.get(`${ROOT}/${path}`)).headers.get('etag') ?? '';
    assert.match(etag, /^"[^"]+"$/, path);
    const again = await ada.get(`${ROOT}/${path}`, { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path);
  }

  assert.deepEqual(lines, []);
  assert.equal(described.length, paths.length, 'each operation with 304 is asked');
});
