import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Browser, chromium as playwright } from 'playwright-core';
import { afterTest } from './after-test.ts';
import { until } from './until.ts';

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
  const browser = await playwright.launch({
    executablePath: await unpackedBrowser(),
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'],
    headless: true,
  });
  afterTest(t, () => browser.close());
  return browser;
}

/**
 * Returns the path of the browser. The package unpacks it into the folder for temporary files, which several tests share: one
 * of them unpacks, and the others wait.
 */
async function unpackedBrowser(): Promise<string> {
  const { default: chromium } = await import('@sparticuz/chromium');
  const isUnpacked = join(tmpdir(), 'quire-browser-is-unpacked');
  const isFirst = await mkdir(join(tmpdir(), 'quire-browser')).then(
    () => true,
    () => false,
  );
  if (!isFirst) await until(() => existsSync(isUnpacked));
  const path = await chromium.executablePath();
  if (isFirst) await writeFile(isUnpacked, '');
  return path;
}
