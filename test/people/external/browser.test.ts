import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startCertifiedProvider } from './certified-provider.ts';
import { startForgeWith } from './test-provider.ts';

// Runs once: no outcome depends on the database.

const SECRET = 'a secret of 32 characters, more or less';

test('a person signs in at a provider in a real browser, and chooses a name', {
  skip: WITHOUT_BROWSER,
}, async (t) => {
  const provider = await startCertifiedProvider(t);
  const forge = await startForgeWith(t, [
    {
      name: 'corp',
      displayName: 'The Corp',
      issuer: provider.issuer,
      clientId: 'quire',
      clientSecret: SECRET,
      createAccounts: 'ask',
    },
  ]);
  const callback = `${forge.url}/user/oauth2/corp/callback`;
  provider.addClient({ client_id: 'quire', client_secret: SECRET, redirect_uris: [callback] });
  const browser = await startBrowser(t);
  const page = await browser.newPage();

  await page.goto(`${forge.url}/user/login?redirect_to=/user/settings/linked-accounts`);
  await page.getByRole('link', { name: 'Sign in with The Corp' }).click();
  await page.locator('input[name=login]').fill('ada');
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('button[type=submit]').click();
  await page.waitForURL(`${forge.url}/user/link_account`);
  await page.getByLabel('Name of your account').fill('admin');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Name of your account').fill('countess');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL(`${forge.url}/user/settings/linked-accounts`);
  await page.getByRole('button', { name: 'Remove' }).click();
  assert.match(await page.getByRole('alert').innerText(), /could not sign in any more/);

  await page.goto(`${forge.url}/user/oauth2/corp/callback?code=x&state=y`);
  assert.match(await page.getByRole('alert').innerText(), /has not begun the sign-in/);
});
