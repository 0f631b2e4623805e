import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sshFingerprint } from '../../../src/code/keys/ssh/public-key.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { type Guild, startGuild } from '../../support/forge/organizations.ts';
import { withCodes } from '../../support/forge/second-factor.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { newEd25519 } from '../../support/keys/ssh-keys.ts';
import { pngOf } from '../avatars/pictures.ts';
import { EventLog, type ExpectedEvent } from './event-log.ts';

/** Routes that change accounts, organizations, teams, memberships, collaborations and tokens. */
const PUBLISHING =
  /^\/api\/v1\/(?:admin\/users|user\/(?:settings|emails)|users\/:username\/tokens|orgs|teams|repos\/:owner\/:repo\/(?:collaborators|teams))(?![^/])/;

interface Call {
  readonly by: Person;
  readonly body?: unknown;
  /** sign in with the password instead of the token */
  readonly byPassword?: boolean;
}

/** Ada's guild with two teams and a repository, the user ben, and the routes called so far. */
class Trial {
  readonly called = new Set<string>();
  readonly guild: Guild;
  readonly forge: TestForge;
  readonly ada: Person;
  readonly root: Person;
  readonly ben: Person;
  readonly writers: number;
  readonly spare: number;
  readonly #log: EventLog;

  constructor(guild: Guild, parts: { ben: Person; writers: number; spare: number }) {
    this.guild = guild;
    this.forge = guild.forge;
    this.ada = guild.ada;
    this.root = guild.forge.root;
    this.ben = parts.ben;
    this.writers = parts.writers;
    this.spare = parts.spare;
    this.#log = new EventLog(guild.forge.forge.running.engines.database);
  }

  /**
   * Calls a route and compares its events.
   *
   * @param route method, pattern and, if it has parameters, path: `DELETE /teams/:id /teams/7`
   */
  async publishes(route: string, call: Call, ...expected: ExpectedEvent[]): Promise<void> {
    const { by, body, byPassword = false } = call;
    const [method = '', pattern = '', path = pattern] = route.split(' ');
    this.called.add(`${method} /api/v1${pattern}`);
    const as = byPassword ? { name: by.name, password: by.password } : { token: by.token };
    const { status, text } = await this.forge.send(method, `/api/v1${path}`, { as, json: body });
    assert.ok(status < 300, `${route}: ${status} ${text}`);
    assert.deepEqual(await this.#log.next(), expected, route);
  }

  /** Runs a preparation and ignores its events. */
  async silently(work: () => Promise<unknown>): Promise<void> {
    await work();
    await this.#log.next();
  }

  /** Routes of writing methods that no call has covered. Those of webhooks have tests of their own. */
  missed(): readonly string[] {
    return this.forge.forge.running.app.statedRoutes
      .filter(({ method, url }) => !['GET', 'HEAD'].includes(method) && PUBLISHING.test(url))
      .map(({ method, url }) => `${method} ${url}`)
      .filter((route) => !/\/(?:repos|hooks\b.*)$/.test(route) && !this.called.has(route));
  }
}

async function startTrial(t: TestContext): Promise<Trial> {
  // Events and paths have the ids of new rows.
  const guild = await startGuild(t, {}, { fresh: true });
  const ben = await guild.forge.account('ben');
  const { id: writers } = await guild.team('writers', { permission: 'read' });
  const { id: spare } = await guild.team('spare');
  await guild.repository('handbook');
  const trial = new Trial(guild, { ben, writers, spare });
  await trial.silently(async () => {});
  return trial;
}

async function changeAccounts(trial: Trial): Promise<void> {
  const { root: by } = trial;
  const cleo = { username: 'cleo', email: 'cleo@example.org', password: 'a password' };
  await trial.publishes('POST /admin/users', { by, body: cleo }, [
    'account.created',
    'root',
    { accountId: 'cleo', name: 'cleo' },
  ]);
  await trial.publishes(
    'PATCH /admin/users/:username /admin/users/cleo',
    { by, body: { password: 'another one', admin: false } },
    ['account.changed', 'root', { accountId: 'cleo', changed: ['password'] }],
  );
  await trial.publishes(
    'POST /admin/users/:username/rename /admin/users/cleo/rename',
    { by, body: { new_username: 'Cleo' } },
    ['account.renamed', 'root', { accountId: 'Cleo', from: 'cleo', to: 'Cleo' }],
  );
  await trial.publishes(
    'POST /admin/users/:username/quota/groups /admin/users/Cleo/quota/groups',
    { by, body: { groups: [] } },
    ['quota.member-changed', 'root', { accountId: 'Cleo', groups: [] }],
  );
}

async function changeSettings(trial: Trial): Promise<void> {
  const { ben: by, root } = trial;
  await trial.publishes('PATCH /user/settings', { by, body: { location: 'here', description: 'x' } }, [
    'account.changed',
    'ben',
    { accountId: 'ben', changed: ['description', 'location'] },
  ]);
  const emails = { accountId: 'ben', changed: ['emails'] };
  const two = { emails: ['b@example.com', 'c@example.com'] };
  await trial.publishes('POST /user/emails', { by, body: two }, ['account.changed', 'ben', emails]);
  const first = { emails: ['b@example.com'] };
  await trial.publishes('DELETE /user/emails', { by, body: first }, ['account.changed', 'ben', emails]);
  await trial.publishes(
    'DELETE /admin/users/:username/emails /admin/users/ben/emails',
    { by: root, body: { emails: ['c@example.com'] } },
    ['account.changed', 'root', emails],
  );
  await trial.silently(() => by.post('/api/v1/user/emails', { emails: ['d@example.com'] }));
  await trial.publishes(
    'POST /admin/users/:username/emails/verify /admin/users/ben/emails/verify',
    { by: root, body: { email: 'd@example.com' } },
    ['account.changed', 'root', emails],
  );
  await trial.publishes('POST /admin/users/:username/reset-link /admin/users/ben/reset-link', { by: root }, [
    'account.reset-link-created',
    'root',
    { accountId: 'ben' },
  ]);
}

async function changeTokens(trial: Trial): Promise<void> {
  for (const [by, pattern, path] of [
    [trial.ben, '/users/:username/tokens', '/users/ben/tokens'],
    [trial.root, '/admin/users/:username/tokens', '/admin/users/ben/tokens'],
  ] as const) {
    const body = { name: 'laptop', scopes: ['read:user'] };
    await trial.publishes(`POST ${pattern} ${path}`, { by, body, byPassword: true }, [
      'token.created',
      by.name,
      { accountId: 'ben', name: 'laptop', scopes: ['read:user'] },
    ]);
    await trial.publishes(`DELETE ${pattern}/:token ${path}/laptop`, { by }, [
      'token.deleted',
      by.name,
      { accountId: 'ben', name: 'laptop' },
    ]);
  }
}

async function resetSecondFactor(trial: Trial): Promise<void> {
  const { root: by, ben, forge } = trial;
  await trial.silently(() => withCodes(forge, ben));
  await trial.publishes(
    'DELETE /admin/users/:username/second-factor /admin/users/ben/second-factor',
    { by },
    ['second-factor.reset', 'root', { accountId: 'ben' }],
  );
}

async function endSessions(trial: Trial): Promise<void> {
  const { root: by, ben, forge } = trial;
  const sessions = '/admin/users/:username/sessions /admin/users/ben/sessions';
  const begin = () => trial.silently(() => new PageReader(forge).signIn(ben));
  await begin();
  const [{ id }] = (await by.get('/api/v1/admin/users/ben/sessions')).body;
  await trial.publishes(
    `DELETE /admin/users/:username/sessions/:id /admin/users/ben/sessions/${id}`,
    { by },
    ['session.ended', 'root', { accountId: 'ben', sessionId: id }],
  );
  await begin();
  await trial.publishes(`DELETE ${sessions}`, { by }, [
    'session.all-ended',
    'root',
    { accountId: 'ben', exceptId: null },
  ]);
  await trial.publishes(`DELETE ${sessions}`, { by });
}

async function changeKeys(trial: Trial): Promise<void> {
  const { root: by } = trial;
  const { blob, line } = newEd25519();
  const fingerprint = sshFingerprint(blob);
  const key = { accountId: 'ben', keyId: 1, fingerprint };
  await trial.publishes(
    'POST /admin/users/:username/keys /admin/users/ben/keys',
    { by, body: { title: 'laptop', key: line } },
    ['ssh-key.created', 'root', { ...key, title: 'laptop' }],
  );
  await trial.publishes('DELETE /admin/users/:username/keys/:id /admin/users/ben/keys/1', { by }, [
    'ssh-key.deleted',
    'root',
    key,
  ]);
}

function created(name: string, actor: string): ExpectedEvent[] {
  return [
    ['organization.created', actor, { name, visibility: 'public' }],
    ['team.created', actor, { name: 'Owners' }],
    ['organization.member-added', actor, { accountId: 'ben' }],
    ['team.member-added', actor, { accountId: 'ben' }],
  ];
}

async function changeOrganizations(trial: Trial): Promise<void> {
  const { ben: by, root } = trial;
  await trial.publishes('POST /orgs', { by, body: { username: 'crafts' } }, ...created('crafts', 'ben'));
  await trial.publishes(
    'POST /admin/users/:username/orgs /admin/users/ben/orgs',
    { by: root, body: { username: 'lodge' } },
    ...created('lodge', 'root'),
  );
  await trial.publishes(
    'PATCH /orgs/:org /orgs/crafts',
    { by, body: { visibility: 'limited' } },
    ['organization.changed', 'ben', { changed: ['visibility'] }],
    ['organization.visibility-changed', 'ben', { from: 'public', to: 'limited' }],
  );
  await trial.publishes(
    'POST /orgs/:org/rename /orgs/crafts/rename',
    { by: root, body: { new_name: 'smiths' } },
    ['organization.renamed', 'root', { from: 'crafts', to: 'smiths' }],
  );
  await trial.publishes('DELETE /orgs/:org /orgs/smiths', { by }, [
    'organization.deleted',
    'ben',
    { name: 'smiths' },
  ]);
}

async function changeTeams(trial: Trial): Promise<void> {
  const { ada, root, writers } = trial;
  await trial.publishes('POST /orgs/:org/teams /orgs/guild/teams', { by: ada, body: { name: 'readers' } }, [
    'team.created',
    'ada',
    { name: 'readers' },
  ]);
  const change = {
    name: 'scribes',
    permission: 'write',
    can_create_org_repo: true,
    includes_all_repositories: false,
  };
  await trial.publishes(`PATCH /teams/:id /teams/${writers}`, { by: root, body: change }, [
    'team.changed',
    'root',
    { changed: ['name', 'level', 'canCreateRepositories', 'units'] },
  ]);
}

async function changeBlocksAndPicture(trial: Trial): Promise<void> {
  const { ada: by, forge } = trial;
  await trial.silently(() => forge.account('eve'));
  const of = (verb: string) => `PUT /orgs/:org/${verb}/:username /orgs/guild/${verb}/eve`;
  await trial.publishes(of('block'), { by }, ['organization.blocked', 'ada', { blockedId: 'eve' }]);
  await trial.publishes(of('block'), { by });
  await trial.publishes(of('unblock'), { by }, ['organization.unblocked', 'ada', { blockedId: 'eve' }]);
  const picture = '/orgs/:org/avatar /orgs/guild/avatar';
  const changed: ExpectedEvent = ['organization.changed', 'ada', { changed: ['avatar'] }];
  const image = pngOf().toString('base64');
  await trial.publishes(`POST ${picture}`, { by, body: { image } }, changed);
  await trial.publishes(`DELETE ${picture}`, { by }, changed);
}

async function changeApplications(trial: Trial): Promise<void> {
  const { ada: by } = trial;
  const url = '/orgs/:org/applications/oauth2 /orgs/guild/applications/oauth2';
  const body = { name: 'loom', redirect_uris: ['https://loom.example/'], confidential_client: true };
  const about = { accountId: 'guild', name: 'loom' };
  await trial.publishes(`POST ${url}`, { by, body }, ['oauth-application.created', 'ada', about]);
  const [{ id }] = (await by.get('/api/v1/orgs/guild/applications/oauth2')).body;
  const one = `/orgs/:org/applications/oauth2/:id /orgs/guild/applications/oauth2/${id}`;
  await trial.publishes(`PATCH ${one}`, { by, body }, [
    'oauth-application.changed',
    'ada',
    { ...about, hasNewSecret: true },
  ]);
  await trial.publishes(`DELETE ${one}`, { by }, ['oauth-application.deleted', 'ada', about]);
}

async function changeLabels(trial: Trial): Promise<void> {
  const { ada: by } = trial;
  const url = '/orgs/:org/labels /orgs/guild/labels';
  const red = { name: 'red', color: '#ff0000' };
  await trial.publishes(`POST ${url}`, { by, body: red }, [
    'label.created',
    'ada',
    { labelId: 1, name: 'red' },
  ]);
  const one = '/orgs/:org/labels/:id /orgs/guild/labels/1';
  await trial.publishes(`PATCH ${one}`, { by, body: { name: 'pink', color: '#ff0000' } }, [
    'label.changed',
    'ada',
    { labelId: 1, name: 'pink', changed: ['name'] },
  ]);
  await trial.publishes(`PATCH ${one}`, { by, body: { name: 'pink' } });
  await trial.publishes(`DELETE ${one}`, { by }, ['label.deleted', 'ada', { labelId: 1, name: 'pink' }]);
}

const JOINED: ExpectedEvent = ['team.member-added', 'ada', { accountId: 'ben' }];
const LEFT: ExpectedEvent = ['team.member-removed', 'ada', { accountId: 'ben' }];
const NO_MEMBER: ExpectedEvent = ['organization.member-removed', 'ada', { accountId: 'ben' }];

async function changeMemberships(trial: Trial): Promise<void> {
  const { ada: by, ben, writers, spare } = trial;
  const memberOf = (id: number) => `/teams/:id/members/:username /teams/${id}/members/ben`;
  const joins = (id: number) => trial.silently(() => by.put(`/api/v1/teams/${id}/members/ben`));
  const newMember: ExpectedEvent = ['organization.member-added', 'ada', { accountId: 'ben' }];
  await trial.publishes(`PUT ${memberOf(writers)}`, { by }, newMember, JOINED);
  await trial.publishes(`PUT ${memberOf(spare)}`, { by }, JOINED);
  await trial.publishes(`PUT ${memberOf(writers)}`, { by });

  const shown = (isPublic: boolean): ExpectedEvent => [
    'organization.membership-shown',
    'ben',
    { accountId: 'ben', public: isPublic },
  ];
  const membership = '/orgs/:org/public_members/:username /orgs/guild/public_members/ben';
  await trial.publishes(`PUT ${membership}`, { by: ben }, shown(true));
  await trial.publishes(`DELETE ${membership}`, { by: ben }, shown(false));
  await trial.publishes(`DELETE ${membership}`, { by: ben });

  await trial.publishes(`DELETE ${memberOf(spare)}`, { by }, LEFT);
  await joins(spare);
  const member = '/orgs/:org/members/:username /orgs/guild/members/ben';
  await trial.publishes(`DELETE ${member}`, { by }, LEFT, LEFT, NO_MEMBER);
  await joins(spare);
  await trial.publishes(`DELETE ${memberOf(spare)}`, { by }, LEFT, NO_MEMBER);
}

async function changeRepositoryAccess(trial: Trial): Promise<void> {
  const { ada: by, writers } = trial;
  const added: ExpectedEvent = ['team.repository-added', 'ada', {}];
  const removed: ExpectedEvent = ['team.repository-removed', 'ada', {}];
  const ofTeam = `/teams/:id/repos/:org/:repo /teams/${writers}/repos/guild/handbook`;
  await trial.publishes(`PUT ${ofTeam}`, { by }, added);
  await trial.publishes(`PUT ${ofTeam}`, { by });
  await trial.publishes(`DELETE ${ofTeam}`, { by }, removed);
  await trial.publishes(`DELETE ${ofTeam}`, { by });
  const ofRepository = '/repos/:owner/:repo/teams/:team /repos/guild/handbook/teams/scribes';
  await trial.publishes(`PUT ${ofRepository}`, { by }, added);
  await trial.publishes(`DELETE ${ofRepository}`, { by }, removed);
  const collaborator =
    '/repos/:owner/:repo/collaborators/:collaborator /repos/guild/handbook/collaborators/ben';
  await trial.publishes(`PUT ${collaborator}`, { by, body: { permission: 'read' } }, [
    'collaborator.changed',
    'ada',
    { accountId: 'ben', level: 'read' },
  ]);
  await trial.publishes(`DELETE ${collaborator}`, { by }, [
    'collaborator.removed',
    'ada',
    { accountId: 'ben' },
  ]);
}

async function deleteTeamsAndAccounts(trial: Trial): Promise<void> {
  const { ada, ben, root, writers, spare } = trial;
  await trial.silently(() => ada.put(`/api/v1/teams/${spare}/members/ben`));
  await trial.publishes(`DELETE /teams/:id /teams/${spare}`, { by: ada }, NO_MEMBER, [
    'team.deleted',
    'ada',
    { name: 'spare' },
  ]);
  await trial.silently(async () => {
    await ada.put(`/api/v1/teams/${writers}/members/ben`);
    await ben.repository('own');
  });
  // A deleted account has no name anymore.
  await trial.publishes(
    'DELETE /admin/users/:username /admin/users/ben?purge=true',
    { by: root },
    ['team.member-removed', 'root', { accountId: '?' }],
    ['organization.member-removed', 'root', { accountId: '?' }],
    ['organization.deleted', 'root', { name: 'lodge' }],
    ['repository.deleted', 'root', { name: 'ben/own' }],
    ['account.deleted', 'root', { accountId: '?', name: 'ben' }],
  );
}

test('each route that changes accounts or memberships publishes exactly its events', async (t) => {
  const trial = await startTrial(t);
  await t.test('accounts', () => changeAccounts(trial));
  await t.test('settings and e-mail addresses', () => changeSettings(trial));
  await t.test('tokens', () => changeTokens(trial));
  await t.test('sessions', () => endSessions(trial));
  await t.test('second factors', () => resetSecondFactor(trial));
  await t.test('keys', () => changeKeys(trial));
  await t.test('organizations', () => changeOrganizations(trial));
  await t.test('teams', () => changeTeams(trial));
  await t.test('blocks and picture of an organization', () => changeBlocksAndPicture(trial));
  await t.test('applications of organizations', () => changeApplications(trial));
  await t.test('labels of organizations', () => changeLabels(trial));
  await t.test('memberships', () => changeMemberships(trial));
  await t.test('repositories of teams and collaborators', () => changeRepositoryAccess(trial));
  await t.test('deletions of teams and accounts', () => deleteTeamsAndAccounts(trial));
  await t.test('every such route is covered', () => assert.deepEqual(trial.missed(), []));
});
