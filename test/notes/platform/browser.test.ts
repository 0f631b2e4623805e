import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';

// Runs once: no outcome depends on the database.

const PHONE = { width: 360, height: 640 };

test('a user connects a phone with a real browser', { skip: WITHOUT_BROWSER ?? false }, async (t) => {
  const forge = await startForge(t);
  const person = await forge.account('ada');
  const browser = await startBrowser(t);
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('403')) problems.push(message.text());
  });
  const started = await forge.send('POST', '/index.php/login/v2', { headers: { 'user-agent': 'Notes' } });

  await page.goto(started.body.login);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(width) <= PHONE.width, `the page is ${width} pixels wide`);
  await page.getByLabel('Name or e-mail address').fill('ada');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByLabel('Name or e-mail address').inputValue(), 'ada');

  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Connect as ada' }).waitFor();
  const connecting = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(connecting) <= PHONE.width, `the page is ${connecting} pixels wide`);
  await page.getByLabel('Name of the device').fill('Phone');
  assert.equal(await page.getByLabel('Only notes').isChecked(), true);
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('heading', { name: 'The device is connected' }).waitFor();

  const granted = await forge.send('POST', '/login/v2/poll', { json: { token: started.body.poll.token } });
  const app = new NotesApp(forge, person, granted.body.appPassword);
  assert.equal((await app.create({ title: 'From the phone' })).title, 'From the phone');
  assert.deepEqual(problems, []);
});
