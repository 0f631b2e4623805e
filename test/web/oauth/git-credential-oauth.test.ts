import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { afterTest } from '../../support/after-test.ts';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, temporaryFolder, tryGit } from '../../support/git/git.ts';
import { GIT_CREDENTIAL_OAUTH } from '../../support/http/oauth.ts';
import { allowGit, Opener, signInOn } from './own-browser.ts';

// Runs once: no outcome depends on the database.

const run = promisify(execFile);
const PROGRAM = await run('sh', ['-c', 'command -v git-credential-oauth']).then(
  ({ stdout }) => stdout.trim(),
  () => undefined,
);
const WITHOUT_PROGRAM =
  PROGRAM === undefined ? '".ci/run" installs git-credential-oauth' : (WITHOUT_BROWSER ?? false);

/** Version 0.7 and later ones exchange refresh tokens. */
function whyNoRefresh(): string | false {
  if (WITHOUT_PROGRAM !== false) return WITHOUT_PROGRAM;
  return renews ? false : 'this git-credential-oauth is too old to exchange refresh tokens';
}
const renews = PROGRAM !== undefined && (await readFile(PROGRAM)).includes('oauth_refresh_token');

/**
 * The machine of a user who has followed the description of git-credential-oauth for a server of one's own. The client id
 * is the one that every Gitea knows.
 */
class Machine {
  readonly environment: Record<string, string>;
  readonly opener: Opener;

  private constructor(opener: Opener, environment: Record<string, string>) {
    this.opener = opener;
    this.environment = environment;
  }

  static async setUp(t: TestContext, forge: TestForge, helpers: readonly string[]): Promise<Machine> {
    const home = await temporaryFolder(t);
    const opener = await Opener.start(t);
    const environment = {
      HOME: home,
      PATH: await opener.searchPath(t),
      GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
      XDG_CACHE_HOME: join(home, '.cache'),
    };
    const set = (args: readonly string[]) => git(home, ['config', '--global', ...args], { environment });
    for (const helper of helpers) await set(['--add', 'credential.helper', helper]);
    await set([`credential.${forge.url}.oauthClientId`, GIT_CREDENTIAL_OAUTH]);
    await set([`credential.${forge.url}.oauthAuthURL`, '/login/oauth/authorize']);
    await set([`credential.${forge.url}.oauthTokenURL`, '/login/oauth/access_token']);
    return new Machine(opener, environment);
  }

  git(folder: string, args: readonly string[]): Promise<string> {
    return git(folder, args, { environment: this.environment });
  }
}

async function stage(t: TestContext): Promise<{ forge: TestForge; ada: Person; folder: string }> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { private: true, auto_init: true });
  return { forge, ada, folder: await temporaryFolder(t) };
}

async function openPage(t: TestContext) {
  const browser = await startBrowser(t);
  return (await browser.newContext()).newPage();
}

async function commitShuttle(work: string): Promise<void> {
  await writeFile(join(work, 'shuttle.md'), '# Shuttle\n');
  await commitAll(work, 'Add a shuttle');
}

const subjectOf = async (ada: Person) =>
  (await ada.get('/api/v1/repos/ada/loom/commits?limit=1')).body[0].commit.message;

test('git clones and pushes with git-credential-oauth alone, and a real browser', {
  skip: WITHOUT_PROGRAM,
}, async (t) => {
  const { forge, ada, folder } = await stage(t);
  const page = await openPage(t);
  const machine = await Machine.setUp(t, forge, ['oauth']);

  const cloning = machine.git(folder, ['clone', '--quiet', `${forge.url}/ada/loom.git`]);
  await page.goto(await machine.opener.next(cloning));
  await signInOn(page, ada);
  await allowGit(page);
  await cloning;

  const work = join(folder, 'loom');
  await commitShuttle(work);
  const pushing = machine.git(work, ['push', '--quiet', 'origin', 'main']);
  await page.goto(await machine.opener.next(pushing));
  await allowGit(page);
  await pushing;
  assert.equal(await subjectOf(ada), 'Add a shuttle\n');
});

test('git asks git-credential-oauth once while another program of the machine keeps the token', {
  skip: WITHOUT_PROGRAM,
}, async (t) => {
  const { forge, ada, folder } = await stage(t);
  const page = await openPage(t);
  const machine = await Machine.setUp(t, forge, ['cache --timeout 7200', 'oauth']);
  const { environment } = machine;
  afterTest(t, async () => void (await tryGit(folder, ['credential-cache', 'exit'], { environment })));

  const cloning = machine.git(folder, ['clone', '--quiet', `${forge.url}/ada/loom.git`]);
  await page.goto(await machine.opener.next(cloning));
  await signInOn(page, ada);
  await allowGit(page);
  await cloning;
  const work = join(folder, 'loom');
  await commitShuttle(work);
  await machine.git(work, ['push', '--quiet', 'origin', 'main']);

  assert.equal(await subjectOf(ada), 'Add a shuttle\n');
  assert.equal(machine.opener.count, 1);
});

/** Asks the program for a credential, as git does. */
async function askProgram(
  machine: Machine,
  fields: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const asking = run(PROGRAM ?? '', ['get'], { env: machine.environment });
  asking.child.stdin?.end(
    `${Object.entries(fields)
      .map(([name, value]) => `${name}=${value}\n`)
      .join('')}\n`,
  );
  const { stdout } = await asking;
  return Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/)));
}

test('git-credential-oauth renews an expired token without a browser', {
  skip: whyNoRefresh(),
}, async (t) => {
  const { forge, ada } = await stage(t);
  const page = await openPage(t);
  const machine = await Machine.setUp(t, forge, ['oauth']);
  const fields = { protocol: 'http', host: new URL(forge.url).host };
  const asking = askProgram(machine, fields);
  await page.goto(await machine.opener.next(asking));
  await signInOn(page, ada);
  await allowGit(page);
  const first = await asking;

  // git 2.41 and later sends the refresh token that it has stored.
  const next = await askProgram(machine, { ...fields, oauth_refresh_token: first.oauth_refresh_token ?? '' });

  assert.equal(machine.opener.count, 1);
  assert.notEqual(next.oauth_refresh_token, first.oauth_refresh_token);
  const remote = Object.assign(new URL(`${forge.url}/ada/loom.git`), {
    username: 'oauth2',
    password: next.password,
  });
  assert.match(await git('/', ['ls-remote', remote.href]), /refs\/heads\/main/);
});
