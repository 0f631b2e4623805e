import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { startForge } from '../support/forge/forge.ts';

test('gitea-js searches repositories with every parameter that it supports, and reads the results', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const name of ['engine', 'engraving', 'loom']) await ada.repository(name, { description: 'of iron' });
  const api = giteaApi(forge.url, { token: ada.token });
  const { data: me } = await api.user.userGetCurrent();
  assert.ok(me.id);

  const { data: found, headers } = await api.repos.repoSearch({
    q: 'eng',
    topic: false,
    includeDesc: true,
    uid: me.id,
    priority_owner_id: me.id,
    private: true,
    is_private: false,
    template: false,
    archived: false,
    mode: 'source',
    exclusive: true,
    sort: 'created',
    order: 'desc',
    page: 1,
    limit: 1,
  });

  assert.equal(found.ok, true);
  assert.deepEqual(
    found.data?.map((each) => [each.full_name, each.permissions?.admin]),
    [['ada/engraving', true]],
  );
  assert.equal(headers.get('x-total-count'), '2');
  const refused = await api.repos.repoSearch({ mode: 'nope' }).then(
    () => assert.fail('this should be refused'),
    (error: unknown) => error as { status: number; error: { ok: boolean; error: string } },
  );
  assert.deepEqual(
    [refused.status, refused.error.ok, refused.error.error],
    [422, false, 'Invalid search mode: "nope"'],
  );
});
