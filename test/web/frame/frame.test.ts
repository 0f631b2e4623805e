import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startForge } from '../../support/forge/forge.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { PageReader } from '../../support/http/page-reader.ts';
import { sendRaw } from './raw-page.ts';

test('the frame of a page leads a stranger to the sign-in, and back to the page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });

  const { text } = await forge.get('/ada/loom/src/branch/main?a=b');
  assert.match(
    text,
    /<a class="button small" href="\/user\/login\?redirect_to=%2Fada%2Floom%2Fsrc%2Fbranch%2Fmain%3Fa%3Db">/,
  );
  assert.doesNotMatch(text, /\/user\/logout/);
  const own = await ada.get('/ada/loom');
  assert.match(own.text, /<a href="\/ada">Your profile<\/a>/);
  assert.doesNotMatch(own.text, /\/user\/login/);
});

test('every page has one heading, a skip link, landmarks and the stylesheet, which browsers keep for good', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });

  for (const path of ['/', '/ada', '/ada/loom', '/ada/loom/src/branch/main/README.md', '/user/login']) {
    const { text, headers } = await forge.get(path);
    assert.equal(text.match(/<h1(?! id="user-content)/g)?.length, 1, path);
    for (const part of [
      '<html lang="en">',
      '<a class="skip" href="#main">',
      '<header',
      '<main id="main">',
      '<footer',
    ])
      assert.ok(text.includes(part), `${path}: ${part}`);
    assert.doesNotMatch(text, /<style|\sstyle=/, path);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
  }
  const [, path = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec((await forge.get('/')).text) ?? [];
  const sheet = await forge.get(path);
  assert.equal(sheet.status, 200);
  assert.equal(sheet.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(sheet.headers.get('content-type'), 'text/css; charset=utf-8');
  assert.equal((await forge.get('/assets/quire-0000000000000000.css')).status, 404);
});

test('pages and files are compressed for clients that ask for it, except for pages with a token', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const plain = await sendRaw(forge, '/ada/loom');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.headers.vary, 'accept-encoding');

  const inBrotli = await sendRaw(forge, '/ada/loom', 'gzip, deflate, br');
  assert.equal(inBrotli.headers['content-encoding'], 'br');
  assert.equal(brotliDecompressSync(inBrotli.bytes).toString(), plain.bytes.toString());
  assert.ok(inBrotli.bytes.length < plain.bytes.length / 2);
  const inGzip = await sendRaw(forge, '/ada/loom', 'gzip;q=0.5, br;q=0');
  assert.equal(inGzip.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(inGzip.bytes).toString(), plain.bytes.toString());
  assert.equal((await sendRaw(forge, '/ada/loom', 'identity')).headers['content-encoding'], undefined);
  assert.equal(
    (await sendRaw(forge, '/user/login', 'br')).headers['content-encoding'],
    undefined,
    'a form with a token',
  );

  const [, sheet = ''] = /rel="stylesheet" href="([^"]+)"/.exec(plain.bytes.toString()) ?? [];
  assert.equal((await sendRaw(forge, sheet, 'br')).headers['content-encoding'], 'br');
  assert.equal((await sendRaw(forge, sheet)).headers['content-encoding'], undefined);
});

test('a browser gets errors as pages, the same one for a hidden and a missing page', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('secret', { private: true });
  const browser = { headers: { accept: 'text/html,application/xhtml+xml' } };

  const [hidden, missing, nowhere] = [
    await forge.get('/ada/secret', browser),
    await forge.get('/ada/absent', browser),
    await forge.get('/ada/secret/no/such/page', browser),
  ];
  const withoutRequest = (text: string) =>
    text.replace(/request req-\w+/, '').replace(/redirect_to=[^"]*/, '');
  for (const answer of [hidden, missing, nowhere]) {
    assert.equal(answer.status, 404);
    assert.match(answer.text, /<h1>There is no such page<\/h1>/);
    assert.equal(withoutRequest(answer.text), withoutRequest(hidden.text));
  }
  assert.equal((await forge.get('/ada/absent')).text, '404 page not found\n');
  const reader = new PageReader(forge);
  await reader.signIn(ada);
  const refused = await reader.post(
    '/user/settings/sessions',
    { id: '1' },
    { headers: { 'sec-fetch-site': 'cross-site' } },
  );
  assert.equal(refused.status, 403);
  assert.match(refused.text, /<h1>You may not do this<\/h1>/);
});

test('links of pages have the path of the base URL', async (t) => {
  const forge = await startForge(t, { baseUrl: 'https://example.org/forge' });
  const ada = await forge.account('ada');
  await ada.repository('loom', { auto_init: true });
  const { text } = await ada.get('/ada/loom');

  const addresses = [...text.matchAll(/\s(?:href|src|action)="([^"#]+)"/g)].map(
    ([, address = '']) => address,
  );
  assert.ok(addresses.length > 20);
  for (const address of addresses) assert.match(address, /^(?:https:\/\/example\.org)?\/forge\//);
});

test('operators set the name, a notice, links, styles and a logo of all pages', async (t) => {
  const looks = await temporaryFolder(t);
  await writeFile(join(looks, 'custom.css'), ':root { --accent: #a00 }');
  await writeFile(join(looks, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"></svg>');
  const forge = await startForge(t, {
    settings: {
      siteName: 'The <Loom>',
      siteNotice: 'Maintenance on Sunday & Monday',
      footerLinks: 'Imprint=https://example.org/imprint, Rules=/rules/of/use',
      looks,
    },
  });
  const { text } = await forge.get('/user/login');
  assert.match(text, /The &lt;Loom&gt;<\/a>/);
  assert.match(text, /<p class="site-notice" role="note">Maintenance on Sunday &amp; Monday<\/p>/);
  assert.match(
    text,
    /<a href="https:\/\/example\.org\/imprint">Imprint<\/a>\n<a href="\/rules\/of\/use">Rules<\/a>/,
  );
  const sheets = [...text.matchAll(/<link rel="stylesheet" href="([^"]+)">/g)].map(([, path = '']) => path);
  assert.equal((await forge.get(sheets[1] ?? '')).text, ':root { --accent: #a00 }');
  const [, logo = ''] = /<a class="brand" href="\/"><img src="([^"]+)"/.exec(text) ?? [];
  assert.equal((await forge.get(logo)).headers.get('content-type'), 'image/svg+xml');
});

test('crawlers read which addresses cost much, and links show what they lead to', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('loom', { description: 'It "weaves"' });
  const robots = await forge.get('/robots.txt');
  assert.equal(robots.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(robots.text, /^User-agent: \*\nDisallow: \/api\//);
  const { text } = await forge.get('/ada/loom');
  assert.ok(text.includes(`<link rel="canonical" href="${forge.url}/ada/loom">`));
  assert.match(text, /<meta property="og:description" content="It &quot;weaves&quot;">/);
});
