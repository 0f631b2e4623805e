// Runs once: no outcome depends on the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';

const API = '/index.php/apps/notes/api/v1/notes';
const skip = WITHOUT_BROWSER ?? false;

async function signedInPage(browser: Browser, forge: TestForge, password: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${forge.url}/user/login?redirect_to=/-/notes`);
  await page.getByLabel('Name or e-mail address').fill('ada');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'New', exact: true }).waitFor();
  return page;
}

test('a note saves itself while it is written, and keeps what it could not send', { skip }, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const browser = await startBrowser(t);
  const page = await signedInPage(browser, forge, ada.password);

  await page.getByRole('link', { name: 'New', exact: true }).click();
  await page.getByLabel('Title').fill('Looms');
  await page.locator('textarea').fill('Cards');
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.waitForURL(/\/-\/notes\/\d+$/);
  const id = Number(page.url().split('/').at(-1));
  const text = async () => (await ada.get(`${API}/${id}`)).body.content;
  assert.equal(await text(), 'Cards');

  await page.context().setOffline(true);
  await page.locator('textarea').fill('Cards hold it');
  await page.getByText('Offline. Your text is kept in this browser.').waitFor();
  assert.equal(await text(), 'Cards');
  await page.context().setOffline(false);
  await page.getByText('Saved', { exact: true }).waitFor();
  assert.equal(await text(), 'Cards hold it');
});

test('two browsers that write the same note see both edits', { skip }, async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = (await ada.post(API, { title: 'List', content: 'one\n\ntwo\n\nthree\n' })).body;
  const browser = await startBrowser(t);
  const [desk, phone] = [
    await signedInPage(browser, forge, ada.password),
    await signedInPage(browser, forge, ada.password),
  ];
  for (const page of [desk, phone]) await page.goto(`${forge.url}/-/notes/${id}`);

  await desk.locator('textarea').fill('ONE\n\ntwo\n\nthree\n');
  await desk.getByText('Saved', { exact: true }).waitFor();
  await phone.locator('textarea').fill('one\n\ntwo\n\nTHREE\n');
  await phone.getByText(/^Saved, and merged with an edit of another device/).waitFor();
  assert.equal(await phone.locator('textarea').inputValue(), 'ONE\n\ntwo\n\nTHREE\n');
  assert.equal((await ada.get(`${API}/${id}`)).body.content, 'ONE\n\ntwo\n\nTHREE\n');
});
