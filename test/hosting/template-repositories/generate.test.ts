import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { commitAll, git, objectsOf } from '../../support/git/git.ts';
import { leftIn } from '../repositories/left-behind.ts';
import { cloned, GENERATE, template } from './template.ts';

async function labelNames(forge: TestForge, id: number): Promise<readonly string[]> {
  const rows = await forge.forge.running.engines.database.reader
    .selectFrom('labels')
    .select('name')
    .where('repository_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.name);
}

/** Creates the template `ada/kit`, whose second commit removes a file of the first, and generates a repository. */
async function generateMine(t: TestContext, format: 'sha1' | 'sha256') {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben', { full_name: 'Ben B' })];
  const folder = await template(t, ada, {
    files: {
      'a.txt': 'a\n',
      'deep/er/b.txt': 'b\n',
      '$REPO_NAME.txt': '$REPO_NAME\n',
      'old.txt': 'a secret\n',
    },
    record: { object_format_name: format },
    also: async (at) => {
      await symlink('a.txt', join(at, 'link'));
      await writeFile(join(at, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    },
  });
  const secret = await git(folder, ['rev-parse', 'main:old.txt']);
  await git(folder, ['rm', '-q', 'old.txt']);
  await commitAll(folder, 'Without the secret');
  await git(folder, ['push', '-q', ada.remote('ada/kit'), 'main']);

  const body = { name: 'mine', owner: 'Ben', description: 'My own', private: true, git_content: true };
  const generated = await ben.post(GENERATE, body);
  assert.equal(generated.status, 201, generated.text);
  return { forge, ben, folder, secret, record: generated.body, copy: await cloned(t, ben, 'ben/mine') };
}

for (const format of ['sha1', 'sha256'] as const) {
  test(`generating a repository from a ${format} template`, async (t) => {
    const { forge, ben, folder, secret, record, copy } = await generateMine(t, format);

    await t.test('its record has the requested fields', () => {
      const { full_name, description, template: isTemplate, empty, fork, object_format_name } = record;
      assert.deepEqual(
        [full_name, description, isTemplate, empty, fork, object_format_name, record.private],
        ['ben/mine', 'My own', false, false, false, format, true],
      );
    });
    await t.test("its files are those at the template's tip", async () => {
      const tree = ['rev-parse', 'HEAD^{tree}'];
      assert.equal(await git(copy, tree), await git(folder, tree));
    });
    await t.test('it has one commit, by its new owner', async () => {
      const person = 'Ben B <ben@example.org>';
      const log = await git(copy, ['log', '--format=%an <%ae>|%cn <%ce>|%P|%B']);
      assert.equal(log, `${person}|${person}||Initial commit\n`);
    });
    await t.test("it has no object of the template's older commits", async () => {
      assert.equal((await objectsOf(copy)).includes(secret), false);
      assert.equal((await ben.get('/api/v1/repos/ben/mine/contents/old.txt')).status, 404);
      const { git: storage } = forge.forge.running.engines;
      const snapshot = await storage.refs.open(record.id);
      assert.equal(await snapshot.objects.info(secret), undefined, 'not even in the object files');
      assert.deepEqual((await storage.upkeep.verify(record.id)).problems, []);
    });
  });
}

test('labels can be copied without the files, and a repository without files is empty', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('kit', {
    template: true,
    issue_labels: 'Default',
    auto_init: true,
    default_branch: 'trunk',
  });

  const labels = await ada.post(GENERATE, { name: 'labels', owner: 'ada', labels: true });
  const files = await ada.post(GENERATE, { name: 'files', owner: 'ada', git_content: true });
  const both = await ada.post(GENERATE, {
    name: 'both',
    owner: 'ada',
    git_content: true,
    labels: true,
    webhooks: true,
    default_branch: 'next',
  });

  assert.deepEqual([labels.body.empty, files.body.empty, both.body.empty], [true, false, false]);
  assert.deepEqual([files.body.default_branch, both.body.default_branch], ['trunk', 'next']);
  assert.equal((await labelNames(forge, labels.body.id)).length, 7);
  assert.equal((await labelNames(forge, both.body.id))[0], 'bug');
  assert.deepEqual(await labelNames(forge, files.body.id), []);
  const { database } = forge.forge.running.engines;
  const created = (await eventsOf(database, 'repository.created')).map(({ name }) => name);
  assert.deepEqual(created, ['kit', 'labels', 'files', 'both']);
});

test('topics are copied and counted', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('kit', { template: true });
  assert.equal((await ada.put('/api/v1/repos/ada/kit/topics', { topics: ['loom', 'card'] })).status, 204);

  const generated = await ada.post(GENERATE, { name: 'mine', owner: 'ada', topics: true });
  const without = await ada.post(GENERATE, { name: 'without', owner: 'ada', labels: true });

  assert.deepEqual([generated.body.topics, without.body.topics], [['card', 'loom'], []]);
  const found = await forge.get('/api/v1/topics/search?q=loom');
  assert.equal(found.body.topics[0].repo_count, 2);
});

test('a template without a commit generates an empty repository', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('kit', { template: true });

  const generated = await ada.post(GENERATE, { name: 'mine', owner: 'ada', git_content: true });

  assert.deepEqual([generated.status, generated.body.empty], [201, true]);
});

test('errors, 422: not a template, no item chosen, an invalid name or branch; 409: a name in use', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('plain', { auto_init: true });
  await ada.repository('kit', { template: true, auto_init: true });
  const before = await leftIn(forge);
  const some = { owner: 'ada', git_content: true };
  const refused: readonly (readonly [path: string, body: unknown, status: number, message: RegExp])[] = [
    ['plain', { ...some, name: 'x' }, 422, /not a template/],
    ['kit', { owner: 'ada', name: 'x' }, 422, /must select at least one template item/],
    ['kit', { owner: 'ada', name: 'x', webhooks: true, git_hooks: true, avatar: true }, 422, /must select/],
    ['kit', { owner: 'ada', name: 'x', protected_branch: true }, 422, /must select/],
    ['kit', { name: 'x', git_content: true }, 422, /^\[Owner\]: Required/],
    ['kit', { ...some }, 422, /^\[Name\]: Required/],
    ['kit', { ...some, name: 'a/b' }, 422, /^\[Name\]: AlphaDashDot/],
    ['kit', { ...some, name: '..' }, 422, /^name is reserved/],
    ['kit', { ...some, name: 'x.git' }, 422, /^name pattern is not allowed/],
    ['kit', { ...some, name: 'x'.repeat(101) }, 422, /^\[Name\]: MaxSize/],
    ['kit', { ...some, name: 'x', description: '\0' }, 422, /^\[Description\]/],
    ['kit', { ...some, name: 'x', default_branch: '-x' }, 422, /^\[DefaultBranch\]/],
    ['kit', { ...some, name: 'x', git_content: 'yes' }, 422, /^\[GitContent\]/],
    ['kit', { ...some, name: 'x', owner: ['ada'] }, 422, /^\[Owner\]/],
    ['kit', { ...some, name: 'KIT' }, 409, /already exists/],
  ];
  for (const [path, body, status, message] of refused) {
    const answer = await ada.post(`/api/v1/repos/ada/${path}/generate`, body);
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.match(answer.body.message, message);
  }
  assert.deepEqual(await leftIn(forge), before);
});

/** The guild, a public and a hidden template of ada, and people with different permissions. */
async function startGuildWithTemplates(t: TestContext) {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cleo] = [await forge.account('ben'), await forge.account('cleo')];
  const eve = await forge.account('eve');
  await guild.team('makers', { permission: 'read', members: [cleo], can_create_org_repo: true });
  await ada.post('/api/v1/orgs', { username: 'secret', visibility: 'private' });
  await ada.repository('kit', { template: true, auto_init: true });
  await ada.repository('hidden', { template: true, auto_init: true, private: true });
  const generate = async (person: Person, owner: string, path = GENERATE) => {
    const { status } = await person.post(path, { name: `by-${person.name}`, owner, git_content: true });
    return status;
  };
  return { forge, ben, cleo, eve, generate };
}

test('generating for an owner needs the same permissions as any other creation', async (t) => {
  const { forge, ben, cleo, eve, generate } = await startGuildWithTemplates(t);

  assert.equal(await generate(cleo, 'guild'), 201);
  assert.equal((await cleo.get('/api/v1/repos/guild/by-cleo')).body.permissions.admin, true);
  assert.equal(await generate(forge.root, 'ben'), 201);
  assert.equal((await ben.get('/api/v1/repos/ben/by-root')).body.permissions.admin, true);
  assert.equal(await generate(eve, 'guild'), 403);
  assert.equal(await generate(eve, 'ben'), 403);
  assert.equal(await generate(eve, 'secret'), 404);
  assert.equal(await generate(eve, 'nobody'), 404);
  assert.equal(await generate(eve, '../x'), 404);
  assert.equal(await generate(eve, 'eve', '/api/v1/repos/ada/hidden/generate'), 404);
  assert.equal(await generate(eve, 'eve', '/api/v1/repos/ada/none/generate'), 404);
});

test('generating needs the scope for repositories and the one for the kind of owner', async (t) => {
  const { forge, cleo } = await startGuildWithTemplates(t);
  const generate = async (scopes: readonly string[], owner: string) => {
    const as = { token: await cleo.tokenFor(scopes) };
    const json = { name: `t-${scopes.length}`, owner, git_content: true };
    return (await forge.send('POST', GENERATE, { as, json })).status;
  };
  const json = { name: 'x', owner: 'ben', git_content: true };

  assert.equal((await forge.send('POST', GENERATE, { json })).status, 401);
  assert.equal(await generate(['write:repository'], 'cleo'), 403);
  assert.equal(await generate(['write:repository', 'write:organization'], 'cleo'), 403);
  assert.equal(await generate(['write:repository', 'write:user'], 'guild'), 403);
  assert.equal(await generate(['write:repository', 'write:user'], 'cleo'), 201);
  assert.equal(await generate(['write:repository', 'write:organization'], 'guild'), 201);
});

test('B8: a template that is deleted during the request is copied completely or not at all', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  for (let round = 0; round < 5; round += 1) {
    await ada.repository('kit', { template: true, auto_init: true, issue_labels: 'Default' });
    const body = { name: `mine${round}`, owner: 'ben', git_content: true, labels: true };

    const [generated, deleted] = await Promise.all([
      ben.post(GENERATE, body),
      ada.delete('/api/v1/repos/ada/kit'),
    ]);

    assert.equal(deleted.status, 204);
    assert.ok([201, 404].includes(generated.status), `${generated.status} ${generated.text}`);
    const { status, body: read } = await ben.get(`/api/v1/repos/ben/mine${round}`);
    assert.equal(status, generated.status === 201 ? 200 : 404);
    if (status === 200) assert.equal(read.empty, false);
  }
  const { intents, labels, repositories, gitRepositories } = await leftIn(forge);
  assert.deepEqual([intents, labels, gitRepositories], [0, repositories * 7, repositories]);
});

test('H4: a template with long paths and many patterns does not block other requests', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const folder = `${'d'.repeat(240)}/`.repeat(8);
  const letters = Array.from({ length: 31 }, (_, index) => String.fromCharCode(0x100 + index));
  const files = Array.from({ length: 40 }, (_, index) => [`${folder}${index}`, '$REPO_NAME\n']);
  await template(t, ada, {
    files: {
      ...Object.fromEntries(files),
      '.gitea/template': [...Array(99).fill(`{${letters.join()}}x`), '**0\n'].join('\n'),
    },
  });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();

  const generated = await ada.post(GENERATE, { name: 'mine', owner: 'ada', git_content: true });

  delay.disable();
  assert.equal(generated.status, 201, generated.text);
  const { body } = await ada.get(`/api/v1/repos/ada/mine/contents/${folder}10`);
  assert.equal(Buffer.from(body.content, 'base64').toString(), 'mine\n');
  assert.ok(delay.max < 1e9, `the event loop waited ${delay.max / 1e6} ms`);
});
