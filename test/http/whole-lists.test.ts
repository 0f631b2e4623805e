import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentsOf } from '../code/contents/files.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';

const ENGINE = '/api/v1/repos/ada/engine';
const TEMPLATE = Buffer.from('---\nname: Bug\nabout: A fault\n---\nWhat happened?\n').toString('base64');

async function attach(forge: TestForge, ada: Person, url: string, name: string): Promise<void> {
  const body = new FormData();
  body.set('attachment', new Blob(['x']), name);
  const headers = { authorization: `token ${ada.token}` };
  const sent = await fetch(`${forge.url}${url}`, { method: 'POST', headers, body });
  assert.equal(sent.status, 201);
}

/** Gives ada at least two of everything that a short list has. @returns the lists */
async function fillLists(forge: TestForge, ada: Person): Promise<string[]> {
  await ada.repository('engine', { auto_init: true });
  await ada.post('/api/v1/user/emails', { emails: ['ada@work.example', 'ada@home.example'] });
  for (const name of ['bug', 'wish'])
    await ada.post(contentsOf('ada/engine', `.gitea/ISSUE_TEMPLATE/${name}.md`), { content: TEMPLATE });
  for (const title of ['First', 'Second']) {
    const { number } = (await ada.post(`${ENGINE}/issues`, { title })).body;
    await ada.post(`${ENGINE}/issues/${number}/pin`);
  }
  const comment = await ada.post(`${ENGINE}/issues/1/comments`, { body: 'See the files.' });
  const assets = [`${ENGINE}/issues/1/assets`, `${ENGINE}/issues/comments/${comment.body.id}/assets`];
  for (const url of assets) for (const name of ['a.txt', 'b.txt']) await attach(forge, ada, url, name);
  return [
    '/api/v1/gitignore/templates',
    '/api/v1/licenses',
    '/api/v1/label/templates',
    '/api/v1/label/templates/Default',
    '/api/v1/user/emails',
    `${ENGINE}/contents`,
    `${ENGINE}/contents/.gitea/ISSUE_TEMPLATE`,
    `${ENGINE}/issue_templates`,
    `${ENGINE}/issues/pinned`,
    ...assets,
  ];
}

test('a short list is whole without page and limit, and honors both', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  for (const url of await fillLists(forge, ada)) {
    const whole = await ada.get(url);
    const total = whole.body.length;
    assert.ok(total >= 2, url);
    assert.equal(whole.headers.get('x-total-count'), String(total), url);
    assert.equal(whole.headers.get('link'), null, url);
    const second = await ada.get(`${url}?page=2&limit=1`);
    assert.deepEqual(second.body, whole.body.slice(1, 2), url);
    assert.equal(second.headers.get('x-total-count'), String(total), url);
    assert.match(second.headers.get('link') ?? '', /limit=1&page=1>; rel="prev"/, url);
    assert.deepEqual((await ada.get(`${url}?page=999&limit=1`)).body, [], url);
  }
  const emails = await forge.root.get('/api/v1/admin/users/ada/emails?limit=1');
  assert.deepEqual([emails.body.length, emails.headers.get('x-total-count')], [1, '3']);
});
