import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { readEvents } from '../../src/events/store.ts';
import { startGuild } from '../support/organizations.ts';

/** What was told since the last look: kind, who did it, and what of it a test can know. */
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

test('each change of an organization, a team, a membership and an account tells its event, with who did it', async (t) => {
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

test('what is refused tells nothing', async (t) => {
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
