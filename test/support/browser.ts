import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Browser, chromium as playwright } from 'playwright-core';
import { afterTest } from './after-test.ts';

/** Why this machine has no browser for tests; undefined if it has one. */
export const WITHOUT_BROWSER =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : 'the browser of the tests runs only on Linux on x64';

/** Fonts of the machine. With those of the package, the browser ends on some machines when it looks for another font. */
const FONTS = '/etc/fonts';

/** Starts a browser until the end of the test. */
export async function startBrowser(t: TestContext): Promise<Browser> {
  // The package unpacks the libraries of the browser, too, if it believes to be there.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs24.x';
  if (existsSync(`${FONTS}/fonts.conf`)) process.env.FONTCONFIG_PATH ??= FONTS;
  const { default: chromium } = await import('@sparticuz/chromium');
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'],
    headless: true,
  });
  afterTest(t, () => browser.close());
  return browser;
}
