import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { ISSUES, open } from '../../tracker/issues/tracker.ts';
import { startReaders } from './readers.ts';

// Runs once: the outcome does not depend on the database.

test('a real browser finds a comment on a later page, and sends a comment with Ctrl-Enter', {
  skip: WITHOUT_BROWSER,
}, async (t) => {
  const { forge, ada } = await startReaders(t);
  await open(ada, 'Long');
  let last = '';
  for (let each = 1; each <= 101; each += 1)
    last = (await ada.post(`${ISSUES}/1/comments`, { body: `Comment ${each}` })).body.html_url;
  const page = await (await startBrowser(t)).newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(`${forge.url}/user/login`);
  await page.fill('[name=user_name]', ada.name);
  await page.fill('[name=password]', ada.password);
  await page.click('main form button');

  await page.goto(last);

  await page.waitForSelector(`[id="${new URL(last).hash.slice(1)}"]`);
  await page.fill('textarea[name=content]', 'Typed');
  await page.press('textarea[name=content]', 'Control+Enter');
  await page.waitForSelector('text=Typed');
  assert.equal((await ada.get(`${ISSUES}/1`)).body.comments, 102);
  assert.deepEqual(problems, []);
});
