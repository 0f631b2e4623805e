import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Person } from '../support/forge/forge.ts';
import { type Guild, startGuild } from '../support/forge/organizations.ts';

// Sends odd names, bodies and paths to every route that names an account, an organization or a team.

interface Stage {
  readonly guild: Guild;
  readonly root: Person;
  readonly teamId: number;
}

interface NameRoute {
  /** namespace of the name: accounts and organizations share one, the teams of an organization have another */
  readonly names: 'account' | 'team';
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly by: 'root' | 'ada';
  readonly field: string;
  /** other fields of the body */
  readonly rest?: (index: number) => object;
  /** the name is optional */
  readonly isOptional?: boolean;
}

const ROUTES: readonly NameRoute[] = [
  {
    names: 'account',
    method: 'POST',
    path: '/admin/users',
    by: 'root',
    field: 'username',
    rest: (index) => ({ email: `user-${index}@example.org` }),
  },
  { names: 'account', method: 'POST', path: '/admin/users/ben/rename', by: 'root', field: 'new_username' },
  { names: 'account', method: 'POST', path: '/orgs', by: 'ada', field: 'username' },
  { names: 'account', method: 'POST', path: '/admin/users/ada/orgs', by: 'root', field: 'username' },
  { names: 'account', method: 'POST', path: '/orgs/guild/rename', by: 'ada', field: 'new_name' },
  { names: 'team', method: 'POST', path: '/orgs/guild/teams', by: 'ada', field: 'name' },
  { names: 'team', method: 'PATCH', path: '/teams/TEAM', by: 'ada', field: 'name', isOptional: true },
];

async function startStage(t: TestContext): Promise<Stage> {
  const guild = await startGuild(t);
  await guild.forge.account('ben');
  await guild.forge.account('cleo');
  await guild.team('taken');
  const { id } = await guild.team('writers');
  return { guild, root: guild.forge.root, teamId: id };
}

let count = 0;

function send({ guild, root, teamId }: Stage, route: NameRoute, body: unknown) {
  const person = route.by === 'root' ? root : guild.ada;
  return person.send(route.method, `/api/v1${route.path.replace('TEAM', String(teamId))}`, { json: body });
}

function sendName(stage: Stage, route: NameRoute, name: unknown) {
  count += 1;
  return send(stage, route, { ...route.rest?.(count), [route.field]: name });
}

/** Names of all accounts, organizations and teams. */
async function everyName({ guild, root, teamId }: Stage): Promise<readonly string[]> {
  const users = (await root.get('/api/v1/admin/users')).body.map((each: { login: string }) => each.login);
  const organizations = (await root.get('/api/v1/admin/orgs')).body;
  const team = (await root.get(`/api/v1/teams/${teamId}`)).body.name;
  const teams = (await guild.ada.get(`/api/v1/orgs/${organizations[0].name}/teams`)).body;
  return [...users, ...[...organizations, ...teams].map((each: { name: string }) => each.name), team];
}

const BAD_EVERYWHERE: Readonly<Record<string, unknown>> = {
  'a slash': 'a/b',
  'a backslash': 'a\\b',
  'an encoded slash': 'a%2fb',
  'an encoded NUL': 'a%00',
  'a path to the parent folder': '../a',
  NUL: 'a\0b',
  'a line break': 'a\nb',
  'a tab': 'a\tb',
  'a space': 'a b',
  'a leading space': ' a',
  'a right-to-left override': 'a\u202eb',
  'a left-to-right mark': '\u200ea',
  'a zero-width joiner': 'a\u200db',
  'half a surrogate pair': 'a\ud800',
  'full-width letters': 'ａｄａ',
  'a Cyrillic letter that looks Latin': 'аda',
  'an accent': 'adé',
  'a long s, which is an s in upper case': 'ſam',
  'a Kelvin sign, which is a k in lower case': '\u212aim',
  'an emoji': 'a😀',
  markup: '<b>',
  'a quote': "a'b",
  'a long text': 'x'.repeat(300),
  'a very long text': 'x'.repeat(100_000),
  'a number': 1,
  'a boolean': true,
  'a list': ['a'],
  'an object': { a: 'a' },
};

const BAD_FOR_ACCOUNTS: Readonly<Record<string, unknown>> = {
  'one dot': '.',
  'two dots': '..',
  'dots in a row': 'a..b',
  'a leading dot': '.a',
  'a trailing dot': 'a.',
  'a hyphen': '-',
  'a leading hyphen': '-a',
  'a trailing hyphen': 'a-',
  'a trailing underscore': 'a_',
  'a hyphen before an underscore': 'a-_b',
  'one character too many': 'x'.repeat(41),
  'a reserved name': 'api',
  'a reserved name in another case': 'Admin',
  'a path of another API': 'ocs',
  'a reserved file name': 'index.php',
  'the deleted account': 'Ghost',
  keys: 'ada.keys',
  'a picture': 'ada.PNG',
  'a feed': 'ada.rss',
  "another account's": 'cleo',
  "another account's, in another case": 'CLEO',
  'the first administrator': 'Root',
};

const BAD_FOR_TEAMS: Readonly<Record<string, unknown>> = {
  'one character too many': 'x'.repeat(256),
  'a reserved name': 'new',
  'a reserved name in another case': 'NEW',
  "another team's": 'taken',
  "another team's in another case": 'TAKEN',
  'the owners': 'owners',
};

test('C1: every route rejects an odd, reserved, overlong or used name with 422, and changes nothing', async (t) => {
  const stage = await startStage(t);
  const before = await everyName(stage);
  for (const route of ROUTES) {
    const own = route.names === 'account' ? BAD_FOR_ACCOUNTS : BAD_FOR_TEAMS;
    for (const [what, name] of Object.entries({ ...BAD_EVERYWHERE, ...own })) {
      const { status, text } = await sendName(stage, route, name);
      assert.equal(status, 422, `${route.method} ${route.path}, ${what}: ${status} ${text}`);
    }
  }
  assert.deepEqual(await everyName(stage), before);
});

test('G3: every route rejects a body that is invalid or has no name with 422', async (t) => {
  const stage = await startStage(t);
  const before = await everyName(stage);
  for (const route of ROUTES) {
    const about = `${route.method} ${route.path}`;
    for (const body of [undefined, {}, null, { [route.field]: null }, { [route.field]: '' }]) {
      const answer = await send(stage, route, body && { ...route.rest?.(0), ...body });
      const expected = route.isOptional === true ? 200 : 422;
      assert.equal(answer.status, expected, `${about} ${JSON.stringify(body)}: ${answer.text}`);
    }
    for (const body of ['a', 1, true, [], [{}]])
      assert.equal((await send(stage, route, body)).status, 422, `${about} ${JSON.stringify(body)}`);
  }
  assert.deepEqual(await everyName(stage), before);
});

test('H8: on every route, of two concurrent requests for the same name, one succeeds and the other returns 422', async (t) => {
  for (const route of ROUTES) {
    const stage = await startStage(t);
    const other = await rivalOf(stage, route);

    const answers = await Promise.all([
      sendName(stage, route, 'wanted'),
      sendName(other.stage, { ...route, path: other.path }, 'WANTED'),
    ]);

    const [first = 0, second = 0] = answers.map(({ status }) => status).sort();
    assert.ok(first < 300 && second === 422, `${route.method} ${route.path}: ${first}, ${second}`);
  }
});

/** Where to send the second request for the same name. A second rename needs another account or team. */
async function rivalOf(stage: Stage, { path }: NameRoute): Promise<{ stage: Stage; path: string }> {
  if (path.includes('/ben/')) return { stage, path: path.replace('ben', 'cleo') };
  if (path === '/orgs/guild/rename') {
    await stage.guild.ada.post('/api/v1/orgs', { username: 'lodge' });
    return { stage, path: '/orgs/lodge/rename' };
  }
  if (!path.includes('TEAM')) return { stage, path };
  const { id } = await stage.guild.team('others');
  return { stage: { ...stage, teamId: id }, path };
}

const ODD_NAMES = [
  'nobody',
  '%00',
  'a%00b',
  '%2e%2e%2fx',
  '..%2fada',
  '%2f',
  'a%20b',
  '%e2%80%ae',
  '%ef%bd%81',
  '-',
  '%25',
  'x'.repeat(2000),
];
const ODD_IDS = ['0', '-1', '00', '1.5', '1e3', 'x', '%00', '0x1', '9007199254740992', '9223372036854775807'];
const BEYOND = ['9223372036854775808', '99999999999999999999', '1'.repeat(300)];
const MISSING_PATHS: readonly [method: string, path: string][] = [
  ['GET', '/users/NAME'],
  ['GET', '/users/NAME/orgs'],
  ['GET', '/users/NAME/repos'],
  ['GET', '/users/NAME/tokens'],
  ['GET', '/users/NAME/orgs/guild/permissions'],
  ['GET', '/users/ben/orgs/NAME/permissions'],
  ['PATCH', '/admin/users/NAME'],
  ['DELETE', '/admin/users/NAME'],
  ['GET', '/admin/users/NAME/emails'],
  ['GET', '/admin/users/NAME/tokens'],
  ['DELETE', '/admin/users/NAME/tokens/1'],
  ['GET', '/orgs/NAME'],
  ['PATCH', '/orgs/NAME'],
  ['DELETE', '/orgs/NAME'],
  ['GET', '/orgs/NAME/members'],
  ['GET', '/orgs/guild/members/NAME'],
  ['DELETE', '/orgs/guild/members/NAME'],
  ['GET', '/orgs/NAME/public_members'],
  ['GET', '/orgs/guild/public_members/NAME'],
  ['PUT', '/orgs/guild/public_members/NAME'],
  ['DELETE', '/orgs/guild/public_members/NAME'],
  ['GET', '/orgs/NAME/repos'],
  ['GET', '/orgs/NAME/teams'],
  ['GET', '/orgs/NAME/teams/search'],
  ['GET', '/teams/ID'],
  ['PATCH', '/teams/ID'],
  ['DELETE', '/teams/ID'],
  ['GET', '/teams/ID/members'],
  ['GET', '/teams/ID/members/ada'],
  ['PUT', '/teams/ID/members/ben'],
  ['DELETE', '/teams/ID/members/ben'],
  ['GET', '/teams/TEAM/members/NAME'],
  ['PUT', '/teams/TEAM/members/NAME'],
  ['DELETE', '/teams/TEAM/members/NAME'],
  ['GET', '/teams/ID/repos'],
  ['GET', '/teams/ID/repos/guild/handbook'],
  ['PUT', '/teams/ID/repos/guild/handbook'],
  ['DELETE', '/teams/ID/repos/guild/handbook'],
  ['GET', '/teams/TEAM/repos/NAME/handbook'],
  ['PUT', '/teams/TEAM/repos/NAME/handbook'],
  ['DELETE', '/teams/TEAM/repos/guild/NAME'],
  ['GET', '/repositories/ID'],
];

test('C8: every route returns 404 for an unknown or impossible name or id in its path', async (t) => {
  const stage = await startStage(t);
  await stage.guild.repository('handbook');
  for (const [method, path] of MISSING_PATHS) {
    const values = path.includes('ID') ? [...ODD_IDS, ...BEYOND] : ODD_NAMES;
    for (const value of values) {
      const url = path.replace('TEAM', String(stage.teamId)).replace(/NAME|ID/, value);
      const json = method === 'PATCH' ? {} : undefined;
      const { status } = await stage.root.send(method, `/api/v1${url}`, { json });
      assert.equal(status, 404, `${method} ${url.slice(0, 80)}`);
    }
  }
});
