import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { GIT_CREDENTIAL_OAUTH } from '../../support/http/oauth.ts';
import { allowGit, Opener, signInOn } from './own-browser.ts';

// Runs once: no outcome depends on the database.

const HELPER = join(import.meta.dirname, 'credential-helper.ts');
const PHONE = { width: 360, height: 640 };

test('git signs in as git-credential-oauth does, with a real browser on the machine of its user', {
  skip: WITHOUT_BROWSER ?? false,
}, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { private: true, auto_init: true });
  const folder = await temporaryFolder(t);
  const browser = await startBrowser(t);
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) problems.push(message.text());
  });
  const opener = await Opener.start(t);
  const helper = `!${[process.execPath, HELPER, forge.url, GIT_CREDENTIAL_OAUTH, opener.url].join(' ')}`;

  const cloning = git(folder, [
    '-c',
    `credential.helper=${helper}`,
    'clone',
    '--quiet',
    `${forge.url}/ada/loom.git`,
  ]);
  await page.goto(await opener.next(cloning));
  await signInOn(page, ada);
  await page.getByRole('heading', { name: 'Let git-credential-oauth act for you?' }).waitFor();
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= PHONE.width);
  await allowGit(page);
  await cloning;

  assert.match(await git(join(folder, 'loom'), ['log', '--format=%s']), /\S/);
  assert.deepEqual(problems, []);
  await page.goto(`${forge.url}/user/settings/applications`);
  await page.getByText('git-credential-oauth').waitFor();
});
