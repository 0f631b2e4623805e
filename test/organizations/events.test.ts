import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { readEvents } from '../../src/events/store.ts';
import { startGuild } from '../support/organizations.ts';

/** New events since the last look: kind, actor, and the fields that a test can predict. */
class Ear {
  readonly #database: Database;
  #position = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async heard(): Promise<readonly unknown[]> {
    const { events, position } = await readEvents(this.#database.reader, {
      after: this.#position,
      limit: 500,
    });
    this.#position = position;
    const rows = await this.#database.reader.selectFrom('accounts').select(['id', 'name']).execute();
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return events.map(({ kind, actorId, payload }) => {
      const { organizationId: _, teamId: __, tokenId: ___, ...told } = payload as Record<string, unknown>;
      if (typeof told.accountId === 'number') told.accountId = names.get(told.accountId) ?? '?';
      return [kind, actorId === null ? null : (names.get(actorId) ?? '?'), told];
    });
  }
}

test('each change of an organization, team, membership or account publishes its event with its actor', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  const ear = new Ear(forge.forge.running.engines.database);
  await ear.heard();
  const hears = async (what: Promise<{ status: number }>, ...expected: unknown[]) => {
    const { status } = await what;
    assert.ok(status < 300, String(status));
    assert.deepEqual(await ear.heard(), expected);
  };

  await hears(
    ada.post('/api/v1/orgs', { username: 'crafts', visibility: 'limited' }),
    ['organization.created', 'ada', { name: 'crafts', visibility: 'limited' }],
    ['team.created', 'ada', { name: 'Owners' }],
    ['organization.member-added', 'ada', { accountId: 'ada' }],
    ['team.member-added', 'ada', { accountId: 'ada' }],
  );
  await hears(
    ada.patch('/api/v1/orgs/guild', {
      visibility: 'private',
      location: 'here',
      repo_admin_change_team_access: true,
    }),
    ['organization.changed', 'ada', { changed: ['location', 'visibility', 'repositoryAdminsChangeTeams'] }],
    ['organization.visibility-changed', 'ada', { from: 'public', to: 'private' }],
  );
  await hears(ada.patch('/api/v1/orgs/guild', { location: 'here' }));
  await hears(ada.post('/api/v1/orgs/crafts/rename', { new_name: 'smiths' }), [
    'organization.renamed',
    'ada',
    { from: 'crafts', to: 'smiths' },
  ]);
  await hears(ada.delete('/api/v1/orgs/smiths'), ['organization.deleted', 'ada', { name: 'smiths' }]);

  const { id } = await guild.team('readers');
  assert.deepEqual(await ear.heard(), [['team.created', 'ada', { name: 'readers' }]]);
  await hears(ada.patch(`/api/v1/teams/${id}`, { permission: 'read', description: 'x' }), [
    'team.changed',
    'ada',
    { changed: ['description', 'level', 'units'] },
  ]);
  await hears(ada.patch(`/api/v1/teams/${id}`, { description: 'x' }));
  await hears(
    forge.root.put(`/api/v1/teams/${id}/members/ben`),
    ['organization.member-added', 'root', { accountId: 'ben' }],
    ['team.member-added', 'root', { accountId: 'ben' }],
  );
  await hears(ben.put('/api/v1/orgs/guild/public_members/ben'), [
    'organization.membership-shown',
    'ben',
    { accountId: 'ben', public: true },
  ]);
  await hears(
    ada.delete('/api/v1/orgs/guild/members/ben'),
    ['team.member-removed', 'ada', { accountId: 'ben' }],
    ['organization.member-removed', 'ada', { accountId: 'ben' }],
  );
  await hears(ada.delete(`/api/v1/teams/${id}`), ['team.deleted', 'ada', { name: 'readers' }]);

  await hears(
    forge.root.patch('/api/v1/admin/users/ben', { visibility: 'limited' }),
    ['account.changed', 'root', { accountId: 'ben', changed: ['visibility'] }],
    ['account.visibility-changed', 'root', { accountId: 'ben', from: 'public', to: 'limited' }],
  );
  await hears(ben.patch('/api/v1/user/settings', { hide_email: true }), [
    'account.changed',
    'ben',
    { accountId: 'ben', changed: ['keepsEmailPrivate'] },
  ]);
  await hears(ben.post('/api/v1/user/emails', { emails: ['b@example.com'] }), [
    'account.changed',
    'ben',
    { accountId: 'ben', changed: ['emails'] },
  ]);
  await hears(forge.root.post('/api/v1/admin/users/ben/rename', { new_username: 'benno' }), [
    'account.renamed',
    'root',
    { accountId: 'benno', from: 'ben', to: 'benno' },
  ]);
  await ada.repository('own');
  await ear.heard();
  await hears(ada.put('/api/v1/repos/ada/own/collaborators/benno', { permission: 'read' }), [
    'collaborator.changed',
    'ada',
    { accountId: 'benno', level: 'read' },
  ]);
  await hears(ada.put('/api/v1/repos/ada/own/collaborators/benno', { permission: 'read' }));
  await hears(ada.delete('/api/v1/repos/ada/own/collaborators/benno'), [
    'collaborator.removed',
    'ada',
    { accountId: 'benno' },
  ]);
});

test('rejected changes publish no event', async (t) => {
  const guild = await startGuild(t);
  const eve = await guild.forge.account('eve');
  const { id } = await guild.owners();
  const ear = new Ear(guild.forge.forge.running.engines.database);
  await ear.heard();

  await guild.ada.delete(`/api/v1/teams/${id}/members/ada`);
  await guild.ada.delete(`/api/v1/teams/${id}`);
  await guild.ada.post('/api/v1/orgs', { username: 'guild' });
  await guild.ada.post('/api/v1/orgs/guild/teams', { name: 'owners' });
  await eve.patch('/api/v1/orgs/guild', { location: 'x' });
  await eve.put(`/api/v1/teams/${id}/members/eve`);

  assert.deepEqual(await ear.heard(), []);
});

/** Routes that change accounts, organizations, teams, memberships, collaborations and tokens. */
const TELLING =
  /^\/api\/v1\/(?:admin\/users|user\/(?:settings|emails)|users\/:username\/tokens|orgs|teams|repos\/:owner\/:repo\/(?:collaborators|teams))(?![^/])/;

test('each route that changes identities or memberships publishes exactly its events, and the list is complete', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const { root } = forge;
  const ben = await forge.account('ben');
  const { id: writers } = await guild.team('writers', { permission: 'read' });
  const { id: spare } = await guild.team('spare');
  await guild.repository('handbook');
  const ear = new Ear(forge.forge.running.engines.database);
  await ear.heard();
  const tried = new Set<string>();
  const tells = async (route: string, by: typeof ada, body: unknown, ...expected: unknown[]) => {
    const [method = '', pattern = '', at = pattern] = route.split(' ');
    tried.add(`${method} /api/v1${pattern}`);
    const { status, text } = await by.send(method, `/api/v1${at}`, { json: body });
    assert.ok(status < 300, `${route}: ${status} ${text}`);
    assert.deepEqual(await ear.heard(), expected, route);
  };
  const tellsByPassword = async (route: string, by: typeof ada, json: unknown, ...expected: unknown[]) => {
    const [method = '', pattern = '', at = ''] = route.split(' ');
    tried.add(`${method} /api/v1${pattern}`);
    const as = { name: by.name, password: by.password };
    assert.equal((await forge.send(method, `/api/v1${at}`, { as, json })).status, 201);
    assert.deepEqual(await ear.heard(), expected, route);
  };
  const user = (name: string) => ({ username: name, email: `${name}@example.org`, password: 'a password' });

  await tells('POST /admin/users', root, user('cleo'), [
    'account.created',
    'root',
    { accountId: 'cleo', name: 'cleo' },
  ]);
  await tells(
    'PATCH /admin/users/:username /admin/users/cleo',
    root,
    { password: 'another one', admin: false },
    ['account.changed', 'root', { accountId: 'cleo', changed: ['password'] }],
  );
  await tells('POST /admin/users/:username/rename /admin/users/cleo/rename', root, { new_username: 'Cleo' }, [
    'account.renamed',
    'root',
    { accountId: 'Cleo', from: 'cleo', to: 'Cleo' },
  ]);
  await tells('PATCH /user/settings', ben, { location: 'here', description: 'x' }, [
    'account.changed',
    'ben',
    { accountId: 'ben', changed: ['description', 'location'] },
  ]);
  const emails = { emails: ['b@example.com', 'c@example.com'] };
  const changedEmails = { accountId: 'ben', changed: ['emails'] };
  await tells('POST /user/emails', ben, emails, ['account.changed', 'ben', changedEmails]);
  await tells('DELETE /user/emails', ben, { emails: ['b@example.com'] }, [
    'account.changed',
    'ben',
    changedEmails,
  ]);
  await tells(
    'DELETE /admin/users/:username/emails /admin/users/ben/emails',
    root,
    { emails: ['c@example.com'] },
    ['account.changed', 'root', changedEmails],
  );
  for (const [by, place, at] of [
    [ben, '/users/:username/tokens', '/users/ben/tokens'],
    [root, '/admin/users/:username/tokens', '/admin/users/ben/tokens'],
  ] as const) {
    await tellsByPassword(`POST ${place} ${at}`, by, { name: 'laptop', scopes: ['read:user'] }, [
      'token.created',
      by.name,
      { accountId: 'ben', name: 'laptop', scopes: ['read:user'] },
    ]);
    await tells(`DELETE ${place}/:token ${at}/laptop`, by, undefined, [
      'token.deleted',
      by.name,
      { accountId: 'ben' },
    ]);
  }

  const founded = (by: string, name: string) => [
    ['organization.created', by, { name, visibility: 'public' }],
    ['team.created', by, { name: 'Owners' }],
    ['organization.member-added', by, { accountId: 'ben' }],
    ['team.member-added', by, { accountId: 'ben' }],
  ];
  await tells('POST /orgs', ben, { username: 'crafts' }, ...founded('ben', 'crafts'));
  await tells(
    'POST /admin/users/:username/orgs /admin/users/ben/orgs',
    root,
    { username: 'lodge' },
    ...founded('root', 'lodge'),
  );
  await tells(
    'PATCH /orgs/:org /orgs/crafts',
    ben,
    { visibility: 'limited' },
    ['organization.changed', 'ben', { changed: ['visibility'] }],
    ['organization.visibility-changed', 'ben', { from: 'public', to: 'limited' }],
  );
  await tells('POST /orgs/:org/rename /orgs/crafts/rename', root, { new_name: 'smiths' }, [
    'organization.renamed',
    'root',
    { from: 'crafts', to: 'smiths' },
  ]);
  await tells('DELETE /orgs/:org /orgs/smiths', ben, undefined, [
    'organization.deleted',
    'ben',
    { name: 'smiths' },
  ]);

  await tells('POST /orgs/:org/teams /orgs/guild/teams', ada, { name: 'readers' }, [
    'team.created',
    'ada',
    { name: 'readers' },
  ]);
  await tells(
    `PATCH /teams/:id /teams/${writers}`,
    root,
    {
      name: 'scribes',
      permission: 'write',
      can_create_org_repo: true,
      includes_all_repositories: false,
    },
    ['team.changed', 'root', { changed: ['name', 'level', 'canCreateRepositories', 'units'] }],
  );
  for (const id of [writers, spare]) {
    const joined = [['team.member-added', 'ada', { accountId: 'ben' }]];
    if (id === writers) joined.unshift(['organization.member-added', 'ada', { accountId: 'ben' }]);
    await tells(`PUT /teams/:id/members/:username /teams/${id}/members/ben`, ada, undefined, ...joined);
  }
  await tells(`PUT /teams/:id/members/:username /teams/${writers}/members/ben`, ada, undefined);
  const shown = (isPublic: boolean) => [
    'organization.membership-shown',
    'ben',
    { accountId: 'ben', public: isPublic },
  ];
  const membership = '/orgs/:org/public_members/:username /orgs/guild/public_members/ben';
  await tells(`PUT ${membership}`, ben, undefined, shown(true));
  await tells(`DELETE ${membership}`, ben, undefined, shown(false));
  await tells(`DELETE ${membership}`, ben, undefined);
  const left = ['team.member-removed', 'ada', { accountId: 'ben' }];
  const gone = ['organization.member-removed', 'ada', { accountId: 'ben' }];
  await tells(`DELETE /teams/:id/members/:username /teams/${spare}/members/ben`, ada, undefined, left);
  await ada.put(`/api/v1/teams/${spare}/members/ben`);
  await ear.heard();
  await tells(
    'DELETE /orgs/:org/members/:username /orgs/guild/members/ben',
    ada,
    undefined,
    left,
    left,
    gone,
  );
  await ada.put(`/api/v1/teams/${spare}/members/ben`);
  await ear.heard();
  await tells(`DELETE /teams/:id/members/:username /teams/${spare}/members/ben`, ada, undefined, left, gone);

  const given = ['team.repository-added', 'ada', {}];
  const taken = ['team.repository-removed', 'ada', {}];
  const linked = `/teams/:id/repos/:org/:repo /teams/${writers}/repos/guild/handbook`;
  await tells(`PUT ${linked}`, ada, undefined, given);
  await tells(`PUT ${linked}`, ada, undefined);
  await tells(`DELETE ${linked}`, ada, undefined, taken);
  await tells(`DELETE ${linked}`, ada, undefined);
  const linkedBack = '/repos/:owner/:repo/teams/:team /repos/guild/handbook/teams/scribes';
  await tells(`PUT ${linkedBack}`, ada, undefined, given);
  await tells(`DELETE ${linkedBack}`, ada, undefined, taken);
  const collaborator =
    '/repos/:owner/:repo/collaborators/:collaborator /repos/guild/handbook/collaborators/ben';
  await tells(`PUT ${collaborator}`, ada, { permission: 'read' }, [
    'collaborator.changed',
    'ada',
    { accountId: 'ben', level: 'read' },
  ]);
  await tells(`DELETE ${collaborator}`, ada, undefined, [
    'collaborator.removed',
    'ada',
    { accountId: 'ben' },
  ]);

  await ada.put(`/api/v1/teams/${spare}/members/ben`);
  await ear.heard();
  await tells(`DELETE /teams/:id /teams/${spare}`, ada, undefined, gone, [
    'team.deleted',
    'ada',
    { name: 'spare' },
  ]);
  await ada.put(`/api/v1/teams/${writers}/members/ben`);
  await ben.repository('own');
  await ear.heard();
  // A deleted account has no name anymore.
  await tells(
    'DELETE /admin/users/:username /admin/users/ben?purge=true',
    root,
    undefined,
    ['team.member-removed', 'root', { accountId: '?' }],
    ['organization.member-removed', 'root', { accountId: '?' }],
    ['organization.deleted', 'root', { name: 'lodge' }],
    ['repository.deleted', 'root', { name: 'ben/own' }],
    ['account.deleted', 'root', { accountId: '?', name: 'ben' }],
  );

  const routes = forge.forge.running.app.statedRoutes
    .filter(({ method, url }) => !['GET', 'HEAD'].includes(method) && TELLING.test(url))
    .map(({ method, url }) => `${method} ${url}`)
    .filter((route) => !/\/repos$/.test(route));
  assert.deepEqual(
    routes.filter((route) => !tried.has(route)),
    [],
  );
});
