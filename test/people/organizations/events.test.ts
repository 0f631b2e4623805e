import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startGuild } from '../../support/forge/organizations.ts';
import { EventLog, type ExpectedEvent } from './event-log.ts';

/** Starts a forge with ada's guild, the user ben, and a function that compares the events of a successful request. */
async function startListening(t: TestContext) {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  const log = new EventLog(forge.forge.running.engines.database);
  await log.next();
  const publishes = async (request: Promise<{ status: number }>, ...expected: ExpectedEvent[]) => {
    const { status } = await request;
    assert.ok(status < 300, String(status));
    assert.deepEqual(await log.next(), expected);
  };
  return { guild, forge, ada, ben, log, publishes };
}

test('each change of an organization publishes its events with their actor', async (t) => {
  const { ada, publishes } = await startListening(t);
  await publishes(
    ada.post('/api/v1/orgs', { username: 'crafts', visibility: 'limited' }),
    ['organization.created', 'ada', { name: 'crafts', visibility: 'limited' }],
    ['team.created', 'ada', { name: 'Owners' }],
    ['organization.member-added', 'ada', { accountId: 'ada' }],
    ['team.member-added', 'ada', { accountId: 'ada' }],
  );
  await publishes(
    ada.patch('/api/v1/orgs/guild', {
      visibility: 'private',
      location: 'here',
      repo_admin_change_team_access: true,
    }),
    ['organization.changed', 'ada', { changed: ['location', 'visibility', 'repositoryAdminsChangeTeams'] }],
    ['organization.visibility-changed', 'ada', { from: 'public', to: 'private' }],
  );
  await publishes(ada.patch('/api/v1/orgs/guild', { location: 'here' }));
  await publishes(ada.post('/api/v1/orgs/crafts/rename', { new_name: 'smiths' }), [
    'organization.renamed',
    'ada',
    { from: 'crafts', to: 'smiths' },
  ]);
  await publishes(ada.delete('/api/v1/orgs/smiths'), ['organization.deleted', 'ada', { name: 'smiths' }]);
});

test('each change of a team publishes its event with its actor', async (t) => {
  const { guild, ada, log, publishes } = await startListening(t);
  const { id } = await guild.team('readers');
  assert.deepEqual(await log.next(), [['team.created', 'ada', { name: 'readers' }]]);
  await publishes(ada.patch(`/api/v1/teams/${id}`, { permission: 'read', description: 'x' }), [
    'team.changed',
    'ada',
    { changed: ['description', 'level', 'units'] },
  ]);
  await publishes(ada.patch(`/api/v1/teams/${id}`, { description: 'x' }));
  await publishes(ada.delete(`/api/v1/teams/${id}`), ['team.deleted', 'ada', { name: 'readers' }]);
});

test('each change of a membership publishes its events with their actor', async (t) => {
  const { guild, forge, ada, ben, log, publishes } = await startListening(t);
  const { id } = await guild.team('readers', { permission: 'read' });
  await log.next();
  await publishes(
    forge.root.put(`/api/v1/teams/${id}/members/ben`),
    ['organization.member-added', 'root', { accountId: 'ben' }],
    ['team.member-added', 'root', { accountId: 'ben' }],
  );
  await publishes(ben.put('/api/v1/orgs/guild/public_members/ben'), [
    'organization.membership-shown',
    'ben',
    { accountId: 'ben', public: true },
  ]);
  await publishes(
    ada.delete('/api/v1/orgs/guild/members/ben'),
    ['team.member-removed', 'ada', { accountId: 'ben' }],
    ['organization.member-removed', 'ada', { accountId: 'ben' }],
  );
});

test('each change of an account publishes its events with their actor', async (t) => {
  const { forge, ben, publishes } = await startListening(t);
  await publishes(
    forge.root.patch('/api/v1/admin/users/ben', { visibility: 'limited' }),
    ['account.changed', 'root', { accountId: 'ben', changed: ['visibility'] }],
    ['account.visibility-changed', 'root', { accountId: 'ben', from: 'public', to: 'limited' }],
  );
  await publishes(ben.patch('/api/v1/user/settings', { hide_email: true }), [
    'account.changed',
    'ben',
    { accountId: 'ben', changed: ['keepsEmailPrivate'] },
  ]);
  await publishes(ben.post('/api/v1/user/emails', { emails: ['b@example.com'] }), [
    'account.changed',
    'ben',
    { accountId: 'ben', changed: ['emails'] },
  ]);
  await publishes(forge.root.post('/api/v1/admin/users/ben/rename', { new_username: 'benno' }), [
    'account.renamed',
    'root',
    { accountId: 'benno', from: 'ben', to: 'benno' },
  ]);
});

test('each change of a collaborator publishes its event with its actor', async (t) => {
  const { ada, log, publishes } = await startListening(t);
  await ada.repository('own');
  await log.next();
  await publishes(ada.put('/api/v1/repos/ada/own/collaborators/ben', { permission: 'read' }), [
    'collaborator.changed',
    'ada',
    { accountId: 'ben', level: 'read' },
  ]);
  await publishes(ada.put('/api/v1/repos/ada/own/collaborators/ben', { permission: 'read' }));
  await publishes(ada.delete('/api/v1/repos/ada/own/collaborators/ben'), [
    'collaborator.removed',
    'ada',
    { accountId: 'ben' },
  ]);
});

test('rejected changes publish no event', async (t) => {
  const guild = await startGuild(t);
  const eve = await guild.forge.account('eve');
  const { id } = await guild.owners();
  const log = new EventLog(guild.forge.forge.running.engines.database);
  await log.next();

  await guild.ada.delete(`/api/v1/teams/${id}/members/ada`);
  await guild.ada.delete(`/api/v1/teams/${id}`);
  await guild.ada.post('/api/v1/orgs', { username: 'guild' });
  await guild.ada.post('/api/v1/orgs/guild/teams', { name: 'owners' });
  await eve.patch('/api/v1/orgs/guild', { location: 'x' });
  await eve.put(`/api/v1/teams/${id}/members/eve`);

  assert.deepEqual(await log.next(), []);
});
