import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { afterTest } from '../../support/after-test.ts';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { GIT_CREDENTIAL_OAUTH } from '../../support/http/oauth.ts';

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
  const opened = Promise.withResolvers<string>();
  const opener = createServer(async (request, response) => {
    opened.resolve(await text(request));
    response.end();
  });
  await new Promise<void>((listening) => opener.listen(0, '127.0.0.1', listening));
  afterTest(t, () => opener.close());
  const { port } = opener.address() as AddressInfo;
  const helper = `!${[process.execPath, HELPER, forge.url, GIT_CREDENTIAL_OAUTH, `http://127.0.0.1:${port}/`].join(' ')}`;

  const cloning = git(folder, [
    '-c',
    `credential.helper=${helper}`,
    'clone',
    '--quiet',
    `${forge.url}/ada/loom.git`,
  ]);
  await page.goto(await Promise.race([opened.promise, cloning]));
  await page.getByLabel('Name or e-mail address').fill('ada');
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Let git-credential-oauth act for you?' }).waitFor();
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= PHONE.width);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'You may close this page' }).waitFor();
  await cloning;

  assert.match(await git(join(folder, 'loom'), ['log', '--format=%s']), /\S/);
  assert.deepEqual(problems, []);
  await page.goto(`${forge.url}/user/settings/applications`);
  await page.getByText('git-credential-oauth').waitFor();
});
