import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { PageReader } from '../../support/http/page-reader.ts';

const API = '/index.php/apps/notes/api/v1/notes';
const PAGES = '/-/notes';

type Account = Awaited<ReturnType<TestForge['account']>>;

async function browserOf(forge: TestForge, account: Account): Promise<PageReader> {
  const reader = new PageReader(forge);
  await reader.signIn(account);
  return reader;
}

async function write(account: Account, note: Readonly<Record<string, unknown>>): Promise<number> {
  return (await account.post(API, note)).body.id;
}

const textOf = async (account: Account, id: number) => (await account.get(`${API}/${id}`)).body.content;

test('a note is written, changed, deleted and restored in a browser without scripts', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = await browserOf(forge, ada);

  const made = await reader.post(PAGES, {
    title: 'Looms',
    category: 'Ideas',
    content: 'Cards\r\nhold it.\r\n',
  });
  assert.equal(made.status, 303);
  const path = made.headers.get('location') ?? '';
  const id = Number(path.split('/').at(-1));
  assert.equal(await textOf(ada, id), 'Cards\nhold it.\n');
  const page = await reader.get(path);
  assert.match(page.text, /<textarea[^>]*>\nCards\nhold it\.\n<\/textarea>/);

  const changed = await reader.post(path, {
    title: 'Looms',
    category: 'Ideas/Old',
    content: 'Cards',
    favorite: '1',
  });
  assert.deepEqual([changed.status, changed.headers.get('location')], [303, path]);
  const { category, favorite, content } = (await ada.get(`${API}/${id}`)).body;
  assert.deepEqual([category, favorite, content], ['Ideas/Old', true, 'Cards']);

  assert.equal((await reader.post(`${path}/delete`, {})).headers.get('location'), PAGES);
  assert.equal((await reader.get(path)).status, 404);
  assert.match((await reader.get(`${PAGES}/deleted`)).text, /Looms/);
  assert.equal((await reader.post(`${path}/restore`, {})).status, 303);
  assert.equal(await textOf(ada, id), 'Cards');
});

test('a note without a title is named by its text', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const reader = await browserOf(forge, ada);
  const made = await reader.post(PAGES, {
    title: ' ',
    category: '',
    content: '# Ask Charles\n\nabout cards',
  });
  assert.match(
    (await reader.get(made.headers.get('location') ?? '')).text,
    /name="title"[^>]*value="Ask Charles"/,
  );
});

test('a save that meets the edit of another device keeps both, and says so', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const id = await write(ada, { title: 'List', content: 'one\n\ntwo\n\nthree\n' });
  const [desk, phone] = [await browserOf(forge, ada), await browserOf(forge, ada)];
  const path = `${PAGES}/${id}`;
  await desk.get(path);
  await phone.get(path);

  await desk.post(path, { title: 'List', category: '', content: 'ONE\n\ntwo\n\nthree\n' });
  const merged = await phone.post(path, { title: 'List', category: '', content: 'one\n\ntwo\n\nTHREE\n' });
  assert.equal(merged.headers.get('location'), `${path}?merged=1`);
  assert.equal(await textOf(ada, id), 'ONE\n\ntwo\n\nTHREE\n');
  assert.match((await phone.get(`${path}?merged=1`)).text, /Another device has changed this note, too/);
});

test('text is kept in the form if its note was deleted meanwhile, and saved as a new note', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const id = await write(ada, { title: 'List', content: 'one' });
  const reader = await browserOf(forge, ada);
  await ada.delete(`${API}/${id}`);
  const refused = await reader.post(`${PAGES}/${id}`, {
    title: 'List',
    category: '',
    content: 'one and "two"',
  });
  assert.equal(refused.status, 409);
  assert.match(refused.text, /This note was deleted meanwhile/);
  assert.match(refused.text, /one and &quot;two&quot;<\/textarea>/);
  assert.match(refused.text, /<form class="form" method="post" action="[^"]+\/-\/notes">/);
});

test('notes are listed by category with favorites first, and found by their words', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await write(ada, { title: 'Looms', category: 'Ideas', content: 'Cards hold the pattern' });
  await write(ada, { title: 'Milk', content: 'buy', favorite: true });
  await write(ada, { title: '<b>Bread</b>', content: '<script>alert(1)</script>' });
  const reader = await browserOf(forge, ada);
  const titlesIn = (page: string) =>
    [...page.matchAll(/<div class="grow"><a href="\/-\/notes\/\d+">([^<]+)</g)].map(([, title]) => title);

  const { text } = await reader.get(PAGES);
  assert.deepEqual(titlesIn(text), ['Milk', 'bBreadb', 'Looms']);
  assert.match(text, /All notes <span class="count">3<\/span>/);
  assert.deepEqual(titlesIn((await reader.get(`${PAGES}?category=Ideas`)).text), ['Looms']);
  const found = (await reader.get(`${PAGES}?q=pattern`)).text;
  assert.deepEqual(titlesIn(found), ['Looms']);
  assert.match(found, /<mark>pattern<\/mark>/);
  const hostile = (await reader.get(`${PAGES}?q=alert`)).text;
  assert.doesNotMatch(hostile, /<script>alert/);
  assert.match((await reader.get(`${PAGES}?q=nothing`)).text, /No note has these words/);
});

test('earlier versions of a note are listed, shown and restored', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const id = await write(ada, { title: 'List', content: 'first\n' });
  await ada.put(`${API}/${id}`, { content: 'second\n' });
  const reader = await browserOf(forge, ada);
  const history = (await reader.get(`${PAGES}/${id}/history`)).text;
  const versions = [...history.matchAll(/\/-\/notes\/\d+\/history\/([0-9a-f]{40})"/g)].map(([, oid]) => oid);
  assert.equal(versions.length, 2);
  const oldest = `${PAGES}/${id}/history/${versions[1]}`;
  const shown = (await reader.get(oldest)).text;
  assert.match(shown, /<pre class="note-version" tabindex="0">first\n<\/pre>/);
  assert.match(shown, /\+second/);
  assert.equal((await reader.post(`${oldest}/restore`, {})).headers.get('location'), `${PAGES}/${id}`);
  assert.equal(await textOf(ada, id), 'first\n');
});

test('the reading view renders the text, and hostile texts run nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const id = await write(ada, { title: 'List', content: '# Plan\n\n<img src=x onerror=alert(1)>\n' });
  const reader = await browserOf(forge, ada);
  const { text } = await reader.get(`${PAGES}/${id}?view=read`);
  assert.match(text, /<h1 id="user-content-plan">Plan<\/h1>/);
  assert.doesNotMatch(text, /onerror/);
});

test('notes are for their owner: strangers sign in first, others find nothing, other sites send no forms', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const ben = await forge.account('ben');
  const id = await write(ada, { title: 'Secret', content: 'one' });
  const stranger = await new PageReader(forge).get(`${PAGES}/${id}`);
  assert.deepEqual(
    [stranger.status, stranger.headers.get('location')],
    [303, `/user/login?redirect_to=${encodeURIComponent(`${PAGES}/${id}`)}`],
  );
  const reader = await browserOf(forge, ben);
  for (const path of ['', '/history', '?view=read'])
    assert.equal((await reader.get(`${PAGES}/${id}${path}`)).status, 404);
  assert.equal((await reader.post(`${PAGES}/${id}/delete`, {})).status, 404);
  const own = await browserOf(forge, ada);
  const crossSite = { headers: { 'sec-fetch-site': 'cross-site' } };
  assert.equal((await own.post(`${PAGES}/${id}/delete`, {}, crossSite)).status, 403);
  assert.equal(await textOf(ada, id), 'one');
});
