import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventsOf } from '../../support/forge/events.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import {
  answerOf,
  createClient,
  decide,
  exchange,
  grantedCode,
  refresh,
  requestPath,
  type TestClient,
  type Tokens,
  tokensFor,
} from '../../support/http/oauth.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const SESSIONS = '/api/v1/admin/users/ada/sessions';
const NEW_PASSWORD = 'a better horse';

interface Granted {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly reader: PageReader;
  readonly client: TestClient;
  readonly code: string;
  readonly tokens: Tokens;
}

/** A user who has granted an application tokens, and a code that it has not exchanged yet. */
async function startGranted(t: TestContext): Promise<Granted> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const client = await createClient(ada);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const code = await grantedCode(reader, requestPath(client));
  return { forge, ada, reader, client, code, tokens: await tokensFor(forge, client, { reader }) };
}

/** Statuses of a request with the access token, and of exchanges of the code and of the refresh token. */
async function statusesOf({ forge, client, code, tokens }: Granted): Promise<readonly number[]> {
  const { status } = await forge.get('/api/v1/user', { as: { token: tokens.access } });
  const exchanged = await exchange(forge, client, code);
  return [status, exchanged.status, (await refresh(forge, client, tokens.refresh)).status];
}

const WORKS = [200, 200, 200];
const ENDED = [401, 400, 400];

test('A11: an administrator who ends all sessions of a user ends all that the user has granted', async (t) => {
  const granted = await startGranted(t);
  const { forge, ada, reader, client } = granted;

  assert.equal((await forge.root.delete(SESSIONS)).status, 204);

  assert.deepEqual(await statusesOf(granted), ENDED);
  const [event] = await eventsOf(forge.forge.running.engines.database, 'oauth-grant.all-ended');
  assert.equal(event?.actor, 'root');
  // The user need not change the password, and grants again.
  await reader.signIn(ada);
  const again = await tokensFor(forge, client, { reader });
  assert.equal((await forge.get('/api/v1/user', { as: { token: again.access } })).status, 200);
});

test('A11: grants end with the sessions of a user also if the user has none any more', async (t) => {
  const granted = await startGranted(t);
  await granted.reader.post('/user/logout', {});
  await granted.forge.root.delete(SESSIONS);
  assert.deepEqual(await statusesOf(granted), ENDED);
});

test('A11: a grant at the same time as the end of all sessions does not survive it', async (t) => {
  const { forge, ada, client } = await startGranted(t);
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const grants = Array.from({ length: 8 }, () => decide(reader, requestPath(client)));
  const [{ status }, ...answers] = await Promise.all([forge.root.delete(SESSIONS), ...grants]);
  assert.equal(status, 204);
  for (const answer of answers) {
    const { code } = answer.headers.get('location')?.includes('code=') ? answerOf(answer) : {};
    if (code !== undefined) assert.equal((await exchange(forge, client, code)).status, 400);
  }
});

test('a user who signs out of all browsers keeps what applications may do', async (t) => {
  const granted = await startGranted(t);
  await granted.ada.delete('/api/v1/user/sessions');
  assert.equal((await granted.reader.get('/user/settings/sessions')).status, 303);
  assert.deepEqual(await statusesOf(granted), WORKS);
});

for (const [how, change] of [
  [
    'whose user changes the password',
    ({ ada }: Granted) =>
      ada.put('/api/v1/user/password', { current_password: ada.password, new_password: NEW_PASSWORD }),
  ],
  [
    'whose user changes the password on the page',
    ({ ada, reader }: Granted) =>
      reader.post('/user/settings/account/password', { current: ada.password, password: NEW_PASSWORD }),
  ],
  [
    'that a link recovers',
    async ({ forge, reader }: Granted) => {
      const { body } = await forge.root.post('/api/v1/admin/users/ada/reset-link', {});
      await reader.post(body.url.slice(forge.url.length), { password: NEW_PASSWORD });
    },
  ],
] as const) {
  test(`A11: grants end of an account ${how}`, async (t) => {
    const granted = await startGranted(t);
    await change(granted);
    await new PageReader(granted.forge).signIn({ name: 'ada', password: NEW_PASSWORD });
    assert.deepEqual(await statusesOf(granted), ENDED);
  });
}
