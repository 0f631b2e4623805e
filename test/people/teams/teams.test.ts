import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { names, startGuild } from '../../support/forge/organizations.ts';

const TEAMS = '/api/v1/orgs/guild/teams';
const UNITS = [
  'repo.code',
  'repo.issues',
  'repo.ext_issues',
  'repo.pulls',
  'repo.releases',
  'repo.wiki',
  'repo.ext_wiki',
  'repo.projects',
  'repo.packages',
  'repo.actions',
];
const all = (level: string) => Object.fromEntries(UNITS.map((unit) => [unit, level]));

test('POST /orgs/{org}/teams: 201 with the team and its organization', async (t) => {
  const { ada } = await startGuild(t);

  const created = await ada.post(TEAMS, {
    name: 'writers',
    description: 'who write',
    permission: 'write',
    units: ['repo.code', 'repo.issues'],
  });

  assert.equal(created.status, 201);
  const organization = (await ada.get('/api/v1/orgs/guild')).body;
  assert.deepEqual(created.body, {
    id: created.body.id,
    name: 'writers',
    description: 'who write',
    organization,
    includes_all_repositories: false,
    permission: 'write',
    units: ['repo.code', 'repo.issues'],
    units_map: { 'repo.code': 'write', 'repo.issues': 'write' },
    can_create_org_repo: false,
  });
  assert.deepEqual((await ada.get(`/api/v1/teams/${created.body.id}`)).body, created.body);
});

test('GET /orgs/{org}/teams: 200 with the team of the owners first, without the organization', async (t) => {
  const { ada } = await startGuild(t);
  await ada.post(TEAMS, { name: 'Beta' });
  await ada.post(TEAMS, { name: 'alpha' });

  const listed = await ada.get(TEAMS);

  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get('x-total-count'), '3');
  const [owners, ...others] = listed.body;
  assert.deepEqual(owners, {
    id: owners.id,
    name: 'Owners',
    description: '',
    organization: null,
    includes_all_repositories: true,
    permission: 'owner',
    units: UNITS,
    units_map: all('owner'),
    can_create_org_repo: true,
  });
  assert.deepEqual(
    others.map((team: { name: string }) => team.name),
    ['alpha', 'Beta'],
  );
  assert.equal((await ada.get(`${TEAMS}?limit=2&page=2`)).body.length, 1);
});

test('GET /teams/{id}: 200 with the team and its organization, for its members', async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  const created = await guild.team('writers', { permission: 'write', units: ['repo.code'], members: [ben] });

  const read = await ben.get(`/api/v1/teams/${created.id}`);

  assert.deepEqual([read.status, read.body], [200, created]);
  assert.equal(read.body.organization.username, 'guild');
});

test("GET /user/teams: 200 with the caller's teams, each with its organization", async (t) => {
  const guild = await startGuild(t);
  const ben = await guild.forge.account('ben');
  const writers = await guild.team('writers', { members: [ben] });
  await guild.team('others');

  const listed = await ben.get('/api/v1/user/teams');

  assert.deepEqual(listed.body, [writers]);
  assert.equal(writers.organization.username, 'guild');
  assert.equal(listed.headers.get('x-total-count'), '1');
  assert.equal((await guild.forge.get('/api/v1/user/teams')).status, 401);
});

test('permission becomes the access level of the team', async (t) => {
  const { ada } = await startGuild(t);
  const levels: [sent: unknown, level: string][] = [
    ['read', 'read'],
    ['write', 'write'],
    ['admin', 'admin'],
    ['none', 'none'],
    ['owner', 'none'],
    ['sudo', 'none'],
    ['', 'none'],
    [undefined, 'none'],
    [null, 'none'],
  ];
  for (const [index, [permission, level]] of levels.entries()) {
    const { body } = await ada.post(TEAMS, { name: `team-${index}`, permission });

    assert.equal(body.permission, level, String(permission));
    assert.deepEqual(body.units_map, all(level), 'without units, all have the level of the team');
  }
});

test('units are stored as sent, unknown ones are dropped, and a level of owner or an unknown one becomes none', async (t) => {
  const { ada } = await startGuild(t);
  const cases: [sent: Record<string, unknown>, permission: string, map: Record<string, string>][] = [
    [
      { permission: 'read', units: ['repo.wiki', 'repo.nothing', 'repo.wiki'] },
      'read',
      { 'repo.wiki': 'read' },
    ],
    [{ permission: 'admin', units: ['repo.code'] }, 'admin', { 'repo.code': 'admin' }],
    [{ permission: 'write', units: [] }, 'write', all('write')],
    [{ units: ['repo.code'] }, 'none', { 'repo.code': 'none' }],
    [
      { permission: 'write', units_map: { 'repo.code': 'read', 'repo.issues': 'admin' } },
      'read',
      { 'repo.code': 'read', 'repo.issues': 'admin' },
    ],
    [
      { units: ['repo.wiki'], units_map: { 'repo.code': 'write', 'repo.pulls': 'none' } },
      'write',
      { 'repo.code': 'write', 'repo.pulls': 'none' },
    ],
    [
      { permission: 'admin', units_map: { 'repo.code': 'owner', constructor: 'admin', 'repo.wiki': 'x' } },
      'admin',
      { 'repo.code': 'none', 'repo.wiki': 'none' },
    ],
    [{ units_map: { 'repo.issues': 'admin' } }, 'write', { 'repo.issues': 'admin' }],
    [
      { units_map: { 'repo.ext_wiki': 'read', 'repo.code': 'write' } },
      'write',
      {
        'repo.code': 'write',
        'repo.ext_wiki': 'read',
      },
    ],
  ];
  for (const [index, [sent, permission, map]] of cases.entries()) {
    const { status, body } = await ada.post(TEAMS, { name: `team-${index}`, ...sent });

    assert.equal(status, 201);
    assert.deepEqual([body.permission, body.units_map], [permission, map], JSON.stringify(sent));
    assert.deepEqual(body.units.toSorted(), Object.keys(map).toSorted());
  }
});

test('PATCH replaces name, description, permission and units, and returns 200', async (t) => {
  const guild = await startGuild(t);
  const { id } = await guild.team('writers', {
    description: 'who write',
    permission: 'write',
    units: ['repo.code'],
  });

  const edited = await guild.ada.patch(`/api/v1/teams/${id}`, {
    name: 'readers',
    description: '',
    permission: 'read',
    units: ['repo.issues'],
  });

  assert.equal(edited.status, 200);
  assert.deepEqual(edited.body, {
    id,
    name: 'readers',
    description: '',
    organization: null,
    includes_all_repositories: false,
    permission: 'read',
    units: ['repo.issues'],
    units_map: { 'repo.issues': 'read' },
    can_create_org_repo: false,
  });
});

test('fields that PATCH omits stay the same', async (t) => {
  const guild = await startGuild(t);
  const { id } = await guild.team('writers', {
    description: 'who write',
    permission: 'write',
    units: ['repo.code'],
  });
  const edit = async (fields: unknown) => {
    const { body } = await guild.ada.patch(`/api/v1/teams/${id}`, fields);
    return [body.name, body.description, body.permission, body.units_map, body.includes_all_repositories];
  };
  const code = (level: string) => ({ 'repo.code': level });

  assert.deepEqual(await edit({}), ['writers', 'who write', 'write', code('write'), false]);
  assert.deepEqual(await edit({ name: '', permission: '' }), [
    'writers',
    'who write',
    'write',
    code('write'),
    false,
  ]);
  assert.deepEqual(await edit({ permission: 'read' }), ['writers', 'who write', 'read', code('read'), false]);
  assert.deepEqual(await edit({ name: 'Writers' }), ['Writers', 'who write', 'read', code('read'), false]);
  assert.deepEqual(await edit({ includes_all_repositories: true }), [
    'Writers',
    'who write',
    'read',
    code('read'),
    true,
  ]);
  assert.deepEqual((await edit({ units: [] }))[3], {}, 'an empty list takes all units away');
  assert.deepEqual(await edit({ units: ['repo.wiki'] }), [
    'Writers',
    'who write',
    'read',
    { 'repo.wiki': 'read' },
    true,
  ]);
});

test('a team name that the organization already uses returns 422, in any case', async (t) => {
  const guild = await startGuild(t);
  const { id } = await guild.team('readers');
  await guild.team('writers');
  await guild.ada.post('/api/v1/orgs', { username: 'other' });

  for (const name of ['writers', 'WRITERS', 'owners', 'Owners']) {
    assert.equal((await guild.ada.post(TEAMS, { name })).status, 422, name);
    assert.equal((await guild.ada.patch(`/api/v1/teams/${id}`, { name })).status, 422, name);
  }
  assert.equal((await guild.ada.post('/api/v1/orgs/other/teams', { name: 'writers' })).status, 201);
});

test('of concurrent creations of teams with the same name, one succeeds', async (t) => {
  const guild = await startGuild(t);

  const created = await Promise.all(
    ['writers', 'Writers', 'WRITERS', 'writers'].map((name) => guild.ada.post(TEAMS, { name })),
  );

  assert.deepEqual(created.map((answer) => answer.status).sort(), [201, 422, 422, 422]);
  const { name } = created.find((answer) => answer.status === 201)?.body ?? {};
  assert.deepEqual(names((await guild.ada.get(TEAMS)).body), ['Owners', name]);
});

test('the team of the owners keeps its name and level and cannot be deleted', async (t) => {
  const guild = await startGuild(t);
  const owners = await guild.owners();
  const path = `/api/v1/teams/${owners.id}`;

  assert.equal((await guild.ada.patch(path, { name: 'People' })).status, 422);
  const edited = await guild.ada.patch(path, {
    description: 'who decide',
    permission: 'read',
    units: ['repo.wiki'],
    includes_all_repositories: false,
    can_create_org_repo: false,
  });
  assert.deepEqual(edited.body, { ...owners, description: 'who decide' });
  assert.equal((await guild.ada.delete(path)).status, 422);
  assert.equal((await guild.ada.get(path)).status, 200);
});

test('DELETE /teams/{id}: 204; members without another team leave the organization', async (t) => {
  const guild = await startGuild(t);
  const [ben, cleo] = [await guild.forge.account('ben'), await guild.forge.account('cleo')];
  const { id } = await guild.team('writers', { members: [ben, cleo] });
  await guild.team('others', { members: [cleo] });

  const deleted = await guild.ada.delete(`/api/v1/teams/${id}`);

  assert.deepEqual([deleted.status, deleted.text], [204, '']);
  assert.equal((await guild.ada.get(`/api/v1/teams/${id}`)).status, 404);
  assert.equal((await guild.ada.delete(`/api/v1/teams/${id}`)).status, 404);
  assert.equal((await guild.ada.get('/api/v1/orgs/guild/members/ben')).status, 404);
  assert.equal((await guild.ada.get('/api/v1/orgs/guild/members/cleo')).status, 204);
});

test('GET /orgs/{org}/teams/search matches parts of names and, on request, of descriptions', async (t) => {
  const guild = await startGuild(t);
  await guild.team('writers', { description: 'of the Handbook' });
  await guild.team('under_score');
  const search = async (query: string) => {
    const { status, body } = await guild.ada.get(`${TEAMS}/search${query}`);
    assert.equal(status, 200);
    assert.equal(body.ok, true);
    return body.data.map((team: { name: string }) => team.name);
  };

  assert.deepEqual(await search(''), ['Owners', 'under_score', 'writers']);
  assert.deepEqual(await search('?q=RITE'), ['writers']);
  assert.deepEqual(await search('?q=handbook'), []);
  assert.deepEqual(await search('?q=handbook&include_desc=true'), ['writers']);
  assert.deepEqual(await search('?q=_'), ['under_score']);
  assert.deepEqual(await search('?q=%25'), []);
  assert.deepEqual(await search('?q=%00'), []);
  assert.deepEqual(await search(`?q=${'x'.repeat(300)}`), []);
  assert.deepEqual(await search('?limit=1&page=3'), ['writers']);
});

test('G3: the fields of a team are strictly typed', async (t) => {
  const guild = await startGuild(t);
  const { id } = await guild.team('writers');
  const wrong: Record<string, unknown> = {
    'a list': { name: ['x'] },
    'a number': { name: 1 },
    'a space': { name: 'a b' },
    'a slash': { name: 'a/b' },
    dots: { name: '..%2f' },
    NUL: { name: 'a\0b' },
    'a right-to-left override': { name: 'a\u202eb' },
    'a reserved word': { name: 'New' },
    'a long name': { name: 'x'.repeat(256) },
    'a long description': { name: 'x', description: 'x'.repeat(256) },
    'NUL in a description': { name: 'x', description: 'a\0' },
    'a level that is not a text': { name: 'x', permission: 3 },
    'units that are not a list': { name: 'x', units: 'repo.code' },
    'a list of units with a number': { name: 'x', units: [1] },
    'a map that is a list': { name: 'x', units_map: [] },
    'a map of numbers': { name: 'x', units_map: { 'repo.code': 1 } },
    'a text instead of a boolean': { name: 'x', includes_all_repositories: 'true' },
    'no object': 'x',
  };
  for (const [what, body] of Object.entries(wrong)) {
    assert.equal((await guild.ada.post(TEAMS, body)).status, 422, what);
    assert.equal((await guild.ada.patch(`/api/v1/teams/${id}`, body)).status, 422, what);
  }
  for (const body of [{}, { name: '' }, undefined]) {
    assert.equal((await guild.ada.post(TEAMS, body)).status, 422, JSON.stringify(body));
  }
  assert.equal((await guild.ada.get(TEAMS)).body.length, 2);
});

test('an invalid or unknown id returns 404', async (t) => {
  const { ada } = await startGuild(t);
  const ids = ['0', '-1', '1.5', 'x', '999999', '9223372036854775807', '9223372036854775808', '%00', '1e3'];
  for (const id of ids) {
    for (const path of [
      `/api/v1/teams/${id}`,
      `/api/v1/teams/${id}/members`,
      `/api/v1/teams/${id}/members/ada`,
      `/api/v1/teams/${id}/repos`,
    ]) {
      assert.equal((await ada.get(path)).status, 404, path);
    }
    assert.equal((await ada.patch(`/api/v1/teams/${id}`, {})).status, 404, id);
    assert.equal((await ada.delete(`/api/v1/teams/${id}`)).status, 404, id);
    assert.equal((await ada.put(`/api/v1/teams/${id}/members/ada`)).status, 404, id);
  }
});

test('team members, organization members and owners see a team; only owners change it', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const people = {
    inside: await forge.account('inside'),
    beside: await forge.account('beside'),
    outside: await forge.account('outside'),
  };
  const { id } = await guild.team('writers', { members: [people.inside] });
  await guild.team('others', { members: [people.beside] });
  const path = `/api/v1/teams/${id}`;
  const requests: [method: string, path: string, body?: unknown][] = [
    ['GET', path],
    ['GET', `${path}/members`],
    ['GET', `${path}/members/inside`],
    ['GET', `${path}/repos`],
    ['PATCH', path, {}],
    ['PUT', `${path}/members/inside`],
    ['GET', TEAMS],
    ['POST', TEAMS, { name: '' }],
  ];
  const statuses = (send: typeof forge.send) =>
    Promise.all(requests.map(async ([method, at, json]) => (await send(method, at, { json })).status));
  const by = (person: typeof ada) => statuses(person.send.bind(person));

  assert.deepEqual(await by(ada), [200, 200, 200, 200, 200, 204, 200, 422]);
  assert.deepEqual(await by(forge.root), [200, 200, 200, 200, 200, 204, 200, 422]);
  assert.deepEqual(await by(people.inside), [200, 200, 200, 200, 403, 403, 200, 403]);
  assert.deepEqual(await by(people.beside), [403, 200, 200, 403, 403, 403, 200, 403]);
  assert.deepEqual(await by(people.outside), [404, 404, 404, 404, 404, 404, 403, 403]);
  assert.deepEqual(await statuses(forge.send.bind(forge)), [401, 401, 401, 401, 401, 401, 401, 401]);
});

test('B7: a team of a private organization returns the same response as a missing one', async (t) => {
  const guild = await startGuild(t, { visibility: 'private' });
  const { id } = await guild.team('writers');
  const eve = await guild.forge.account('eve');

  for (const [existing, absent] of [
    [`/api/v1/teams/${id}`, '/api/v1/teams/999999'],
    ['/api/v1/orgs/guild/teams', '/api/v1/orgs/nothing/teams'],
  ] as const) {
    const [one, other] = [await eve.get(existing), await eve.get(absent)];
    const headers = (answer: typeof one) =>
      [...answer.headers].filter(([name]) => !/date|request-id/.test(name));

    assert.equal(one.status, 404);
    assert.deepEqual(one.body, other.body);
    assert.deepEqual(headers(one), headers(other));
  }
});

test('a team is hidden from other organizations', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ben.post('/api/v1/orgs', { username: 'other' });
  const theirs = (await ben.post('/api/v1/orgs/other/teams', { name: 'writers' })).body.id;
  await ada.post('/api/v1/orgs/guild/repos', { name: 'handbook' });

  for (const [method, path] of [
    ['PATCH', `/api/v1/teams/${theirs}`],
    ['DELETE', `/api/v1/teams/${theirs}`],
    ['PUT', `/api/v1/teams/${theirs}/members/ada`],
    ['PUT', `/api/v1/teams/${theirs}/repos/guild/handbook`],
    ['PUT', `/api/v1/teams/${theirs}/repos/other/handbook`],
  ] as const) {
    assert.equal((await ada.send(method, path, { json: {} })).status, 404, path);
  }
  assert.equal((await ben.put(`/api/v1/teams/${theirs}/repos/guild/handbook`)).status, 404);
});

test('B7: an anonymous caller gets the same response for an existing and a missing team', async (t) => {
  const guild = await startGuild(t, { visibility: 'private' });
  await guild.repository('handbook');
  const { id } = await guild.team('writers', { repositories: ['handbook'] });

  for (const [method, rest] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/members'],
    ['GET', '/members/ada'],
    ['PUT', '/members/ada'],
    ['DELETE', '/members/ada'],
    ['GET', '/repos'],
    ['GET', '/repos/guild/handbook'],
    ['PUT', '/repos/guild/handbook'],
    ['DELETE', '/repos/guild/handbook'],
  ] as const) {
    const existing = await guild.forge.send(method, `/api/v1/teams/${id}${rest}`);
    const absent = await guild.forge.send(method, `/api/v1/teams/999999${rest}`);
    assert.deepEqual([existing.status, absent.status], [401, 401], `${method} ${rest}`);
    assert.equal(existing.text, absent.text);
  }
});
