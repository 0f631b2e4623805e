import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startForge } from '../../support/forge/forge.ts';
import { ageSessions } from '../../support/forge/sessions.ts';
import { Forwarder } from '../../support/http/forwarder.ts';

// Runs once: no outcome depends on the database.

/** Gives a browser an authenticator that checks its user and answers at once. */
async function addAuthenticator(
  page: Page,
): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

async function typePassword(page: Page, url: string, password: string): Promise<void> {
  await page.goto(`${url}/user/login?redirect_to=/user/settings/security`);
  await page.getByLabel('Name or e-mail address').fill('ada');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('a real browser adds a passkey, and signs in with it', { skip: WITHOUT_BROWSER ?? false }, async (t) => {
  const forwarder = new Forwarder();
  const url = await forwarder.listen(t);
  const forge = await startForge(t, { baseUrl: url });
  forwarder.leadTo(forge.url);
  const ada = await forge.account('ada');
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
  const page = await context.newPage();
  const { cdp, authenticatorId } = await addAuthenticator(page);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  const security = page.getByRole('heading', { name: 'Security', exact: true });

  await typePassword(page, url, ada.password);
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill('Phone');
  await page.getByLabel('Name').press('Enter');
  await page.getByRole('heading', { name: 'Your second factor is on' }).waitFor();
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
  assert.deepEqual(
    credentials.map(({ rpId, isResidentCredential }) => [rpId, isResidentCredential]),
    [['localhost', true]],
  );

  await t.test('as a second factor after the password', async () => {
    await context.clearCookies();
    await typePassword(page, url, ada.password);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await security.waitFor();
    await page.getByText('last used').waitFor();
  });

  await t.test('alone', async () => {
    await context.clearCookies();
    await page.goto(`${url}/user/login?redirect_to=/user/settings/security`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await security.waitFor();
  });

  await t.test('in place of the password to confirm who uses the browser', async () => {
    await ageSessions(forge, 16 * 60_000);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
  });

  await t.test('and not alone if the authenticator does not know its user', async () => {
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await context.clearCookies();
    await page.goto(`${url}/user/login`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey was not used. Try again.').waitFor();
    const isRequired = await page.evaluate("document.querySelector('[name=password]').required");
    assert.equal(isRequired, true, 'the password is needed again');
  });
  assert.deepEqual(problems, []);
});
