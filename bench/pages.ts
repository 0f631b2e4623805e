import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CDPSession } from 'playwright-core';
import { startForge } from '../testing/index.ts';
import { runGit } from './corpus/git.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { median, quantile } from './statistics.ts';

// Measures pages of a repository with 10,000 commits: their first byte and last byte, their size as browsers get it, and in
// Chromium with a processor that is four times slower, the largest contentful paint, shifts of the layout and long tasks.
//
//   node bench/pages.ts           prints the results
//   --save                        keeps them in bench/results/DATE-pages.md
//   --quick                       few commits and samples: does it run?

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, save: { type: 'boolean', default: false } },
});
const COMMITS = options.quick ? 200 : 10_000;
const SAMPLES = options.quick ? 5 : 100;
const WIDE = 1_000;
const LINES = 5_000;
const CHANGED_FILES = 100;
const CHANGED_LINES = 50;
const SLOWER = 4;
const FONTS = '/etc/fonts';

interface PageToMeasure {
  readonly name: string;
  readonly path: string;
  /** most ms to the last byte, from the budget; absent: the first byte counts, 8 ms at the median and 20 ms at the 95th percentile */
  readonly wholeMsMax?: number;
}

/** Yields a history in the form of `git fast-import`: a wide folder, a long file, and a last commit that changes 100 files. */
function* history(): Generator<string> {
  const blob = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commit = (number: number, message: string) =>
    `commit refs/heads/main\nmark :${number}\ncommitter Bench <bench@example.org> ${1_600_000_000 + number * 60} +0000\n${blob(message)}`;
  const lines = (count: number, word: string) =>
    Array.from(
      { length: count },
      (_, line) => `export const ${word}${line}: number = ${line}; // ${word}\n`,
    ).join('');
  yield commit(1, 'Begin');
  yield `M 100644 inline README.md\n${blob('# Engine\n\nIt weaves *patterns*.\n\n- one\n- two\n')}`;
  yield `M 100644 inline src/long.ts\n${blob(lines(LINES, 'thread'))}`;
  for (let file = 0; file < WIDE; file += 1)
    yield `M 100644 inline wide/file-${file}.txt\n${blob(`${file}\n`)}`;
  for (let file = 0; file < CHANGED_FILES; file += 1)
    yield `M 100644 inline changed/${file}.ts\n${blob(lines(CHANGED_LINES, 'old'))}`;
  for (let number = 2; number < COMMITS; number += 1) {
    yield commit(number, `Change ${number}`);
    yield `M 100644 inline wide/file-${(number * 7) % WIDE}.txt\n${blob(`${number}\n`)}`;
  }
  yield commit(COMMITS, 'Change a hundred files');
  for (let file = 0; file < CHANGED_FILES; file += 1)
    yield `M 100644 inline changed/${file}.ts\n${blob(lines(CHANGED_LINES, file % 2 === 0 ? 'new' : 'old').replace('old7', 'other7'))}`;
}

interface Timed {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly bytes: number;
}

function timed(url: string): Promise<Timed> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'accept-encoding': 'br', accept: 'text/html' } }, (response) => {
      let firstMs = 0;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstMs = performance.now() - startedAt;
        bytes += chunk.length;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ firstMs, wholeMs: performance.now() - startedAt, bytes });
        else reject(new Error(`${url}: ${response.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

const INIT = `
window.measured = { lcp: 0, shift: 0, long: 0 };
new PerformanceObserver((list) => { for (const entry of list.getEntries()) measured.lcp = entry.startTime; }).observe({ type: 'largest-contentful-paint', buffered: true });
new PerformanceObserver((list) => { for (const entry of list.getEntries()) measured.shift += entry.value; }).observe({ type: 'layout-shift', buffered: true });
new PerformanceObserver((list) => { for (const entry of list.getEntries()) measured.long = Math.max(measured.long, entry.duration); }).observe({ type: 'longtask', buffered: true });`;

const forge = await startForge();
const folder = await mkdtemp(join(tmpdir(), 'bench-pages-'));
const lines: string[] = [];
const say = (line: string) => {
  lines.push(line);
  process.stdout.write(`${line}\n`);
};
try {
  const send = async (path: string, json: object) => {
    const headers = { authorization: `token ${forge.admin.token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${forge.apiRoot}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(json),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  await send('/user/repos', { name: 'engine' });
  await runGit(['init', '-q', '--bare', folder]);
  await runGit(['-C', folder, 'fast-import', '--quiet'], history());
  const { name } = forge.admin;
  const remote = `${forge.url.replace('//', `//${name}:${forge.admin.token}@`)}/${name}/engine.git`;
  await runGit(['-C', folder, 'push', '-q', remote, 'main']);
  for (let issue = 0; issue < 30; issue += 1)
    await send(`/repos/${name}/engine/issues`, { title: `Issue ${issue}`, body: 'It *should* weave.' });
  const root = `/${name}/engine`;
  const head = (await runGit(['-C', folder, 'rev-parse', 'main'])).toString().trim();
  const pages: readonly PageToMeasure[] = [
    { name: 'start page', path: '/' },
    { name: 'repository', path: root },
    { name: 'folder of 1,000 entries', path: `${root}/src/branch/main/wide`, wholeMsMax: 40 },
    { name: 'file of 5,000 lines', path: `${root}/src/branch/main/src/long.ts`, wholeMsMax: 60 },
    { name: 'rendered Markdown', path: `${root}/src/branch/main/README.md` },
    { name: 'commits', path: `${root}/commits/branch/main` },
    { name: 'commit of 100 files', path: `${root}/commit/${head}`, wholeMsMax: 120 },
    { name: 'branches', path: `${root}/branches` },
    { name: 'issues', path: `${root}/issues` },
    { name: 'issue', path: `${root}/issues/1` },
    { name: 'explore', path: '/explore/repos' },
    { name: 'profile', path: `/${name}` },
  ];
  // The package then unpacks the libraries of the browser, too.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs24.x';
  if (existsSync(`${FONTS}/fonts.conf`)) process.env.FONTCONFIG_PATH ??= FONTS;
  const { default: chromium } = await import('@sparticuz/chromium');
  const { chromium: playwright } = await import('playwright-core');
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'],
    headless: true,
  });
  const page = await browser.newPage();
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.addInitScript(INIT);

  const { cores, processor, node, commit } = describeMachine();
  say(
    `${cores} cores, ${processor}, Node ${node}, commit ${commit}, load ${loadNow()}; ${COMMITS} commits, ${SAMPLES} requests.`,
  );
  say('');
  say(
    '| page | first byte p50, ms | p95, ms | last byte p50, ms | bytes | paint, ms | shift | longest task, ms | budget |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  for (const { name: label, path, wholeMsMax } of pages) {
    const url = `${forge.url}${path}`;
    await timed(url);
    const samples: Timed[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) samples.push(await timed(url));
    const first = samples.map(({ firstMs }) => firstMs);
    const whole = median(samples.map(({ wholeMs }) => wholeMs));
    await page.goto(url, { waitUntil: 'networkidle' });
    const { lcp, shift, long } = await page.evaluate<{ lcp: number; shift: number; long: number }>(
      'measured',
    );
    const isMet =
      wholeMsMax === undefined ? median(first) <= 8 && quantile(first, 0.95) <= 20 : whole <= wholeMsMax;
    const budget = wholeMsMax === undefined ? '8 / 20' : `${wholeMsMax}`;
    say(
      `| ${label} | ${median(first).toFixed(1)} | ${quantile(first, 0.95).toFixed(1)} | ${whole.toFixed(1)} | ${samples[0]?.bytes} | ${lcp.toFixed(0)} | ${shift.toFixed(3)} | ${long.toFixed(0)} | ${budget} ${isMet ? 'met' : 'missed'} |`,
    );
  }
  await browser.close();
  if (options.save) {
    const day = new Date().toISOString().slice(0, 10);
    mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
    const file = join(import.meta.dirname, 'results', `${day}-pages.md`);
    writeFileSync(file, `# Pages\n\n    node bench/pages.ts --save\n\n${lines.join('\n')}\n`);
  }
} finally {
  await forge.stop();
  await rm(folder, { recursive: true, force: true });
}
