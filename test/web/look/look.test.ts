// Runs once: no outcome depends on the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startBrowser, WITHOUT_BROWSER } from '../../support/browser.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { fillForge, pagesOf, type Reader } from './pages.ts';

const WIDTHS = [320, 768, 1440];
const THEMES = ['light', 'dark'] as const;
const skip = WITHOUT_BROWSER ?? false;

interface Opened {
  readonly page: Page;
  /** what the browser complains about, and requests to other servers */
  readonly problems: string[];
}

async function openedAs(
  browser: Browser,
  forge: TestForge,
  options: {
    readonly colorScheme: 'light' | 'dark';
    readonly cookies: Awaited<ReturnType<BrowserContext['cookies']>>;
  },
): Promise<Opened> {
  const context = await browser.newContext({ colorScheme: options.colorScheme });
  await context.addCookies([...options.cookies]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // A page with an error status is one of the pages.
    if (message.type() === 'error' && !message.text().includes('the server responded with a status of 404'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(forge.url)) problems.push(`request to ${request.url()}`);
  });
  return { page, problems };
}

/** Signs in with the form, and returns the cookies of the browser. */
async function cookiesOf(
  browser: Browser,
  forge: TestForge,
  { name, password }: { name: string; password: string },
) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${forge.url}/user/login`);
  await page.getByLabel('Name or e-mail address').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((url) => url.pathname !== '/user/login');
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

test('every page fits all widths in both themes, is accessible, and loads nothing from elsewhere', {
  skip,
}, async (t) => {
  const forge = await startForge(t);
  const filled = await fillForge(forge);
  const { owner } = filled;
  const administrator = await forge.account('cleo');
  await forge.root.patch('/api/v1/admin/users/cleo', { login_name: '', source_id: 0, admin: true });
  const browser = await startBrowser(t);
  const cookies = {
    stranger: [],
    owner: await cookiesOf(browser, forge, owner),
    administrator: await cookiesOf(browser, forge, administrator),
  } satisfies Record<Reader, unknown>;

  const found: string[] = [];
  for (const colorScheme of THEMES) {
    for (const reader of ['stranger', 'owner', 'administrator'] as const) {
      const { page, problems } = await openedAs(browser, forge, { colorScheme, cookies: cookies[reader] });
      for (const { name, path } of pagesOf(filled).filter((each) => each.as === reader)) {
        await page.setViewportSize({ width: WIDTHS.at(-1) ?? 0, height: 900 });
        const response = await page.goto(`${forge.url}${path}`);
        const note = (what: string) => found.push(`${name} (${path}), ${colorScheme}: ${what}`);
        const status = response?.status();
        if (status !== (name === 'error' ? 404 : 200)) note(`status ${status}`);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          for (const element of await page.evaluate<string[]>(WIDER)) note(`wider than ${width}: ${element}`);
        }
        for (const violation of await violationsOf(page)) note(violation);
        for (const problem of problems.splice(0)) note(problem);
      }
      await page.context().close();
    }
  }
  assert.deepEqual(found, []);
});

/** Lists the elements that make a page wider than its window. Elements that scroll by themselves may be wider. */
const WIDER = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const scrolls = (element) => element !== null && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1 && !scrolls(element.parentElement))
    .slice(0, 5)
    .map((element) => element.outerHTML.slice(0, 150));
})()`;

/** What axe finds. */
interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Looks for what keeps people from using a page. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Results>('axe.run({ resultTypes: ["violations"] })');
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html.slice(0, 200))
        .join(' | ')
        .slice(0, 600)}`,
  );
}
