import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { WEBHOOK_LIMITS } from '../../../src/tracker/webhooks/limits.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { ALLOWED, addHook, delivered, type Receiver, startReceiver } from './receiver.ts';

const ENGINE = '/api/v1/repos/ada/engine';
/** Would mention everyone, make links, break out of links and HTML, or be bold in one of the chats. */
const HOSTILE =
  '@everyone @room <!channel> <@U1> <at user_id="all"></at> [x](http://evil.example) *bold* `a` <b>b</b> | > # & "q"';

interface World {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly receiver: Receiver;
  /** Opens an issue with a hostile title and text. @returns the body that a webhook of this type sends for it */
  readonly sentBy: (
    type: string,
    options?: Record<string, unknown>,
    // biome-ignore lint/suspicious/noExplicitAny: tests read fields of messages by name
  ) => Promise<any>;
}

/** Returns the last request to the webhook of a type. */
function lastTo({ received }: Receiver, type: string): Receiver['received'][number] | undefined {
  return received.findLast(({ path }) => path.startsWith(`/hook/${type}`));
}

async function startWorld(t: Parameters<typeof startForge>[0]): Promise<World> {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const sentBy: World['sentBy'] = async (type, options = {}) => {
    await addHook(ada, `${receiver.url}/${type}`, { type, events: ['issues'], ...options });
    await ada.post(`${ENGINE}/issues`, { title: HOSTILE, body: HOSTILE });
    await delivered(forge);
    // The webhooks of the calls before get the event, too, in any order.
    return lastTo(receiver, type)?.body;
  };
  return { forge, ada, receiver, sentBy };
}

test('Slack gets an attachment in which brackets are escaped, without formatting', async (t) => {
  const { sentBy, forge } = await startWorld(t);
  const config = { channel: '#looms', username: 'quire', icon_url: 'https://x.example/i.png' };
  const body = await sentBy('slack', { config });
  assert.deepEqual([body.channel, body.username, body.icon_url], ['#looms', 'quire', config.icon_url]);
  assert.deepEqual([body.mrkdwn, body.link_names], [false, 0]);
  const page = `${forge.url}/ada/engine`;
  assert.ok(body.text.startsWith(`<${page}|ada/engine>: issue opened: <${page}/issues/1|#1 `), body.text);
  const [attachment] = body.attachments;
  assert.deepEqual(attachment.mrkdwn_in, []);
  for (const text of [body.text, attachment.text]) {
    assert.match(text, /&lt;!channel&gt; &lt;@U1&gt;/);
    // Only links of this server are left.
    for (const [link] of text.matchAll(/<[^>]*>/g)) assert.ok(link.startsWith(`<${forge.url}/`), link);
  }
});

test('Discord gets an embed that mentions no one, with escaped Markdown', async (t) => {
  const { sentBy, forge } = await startWorld(t);
  const body = await sentBy('discord', { config: { username: 'quire' } });
  assert.deepEqual([body.username, body.content, body.allowed_mentions], ['quire', '', { parse: [] }]);
  const [embed] = body.embeds;
  assert.equal(embed.url, `${forge.url}/ada/engine/issues/1`);
  assert.equal(embed.author.name, 'ada');
  for (const text of [embed.title, embed.description]) {
    assert.match(text, /\\@everyone/);
    assert.match(text, /\\\[x\\\]\\\(http/);
    assert.match(text, /\\\*bold\\\*/);
    assert.doesNotMatch(text, /(?<!\\)[*`@<[]/);
  }
});

test('Telegram and Matrix get HTML in which everything that a user wrote is text', async (t) => {
  const { sentBy, receiver } = await startWorld(t);
  const telegram = await sentBy('telegram', { config: { chat_id: '7', thread_id: '8' } });
  assert.deepEqual([telegram.chat_id, telegram.message_thread_id, telegram.parse_mode], ['7', '8', 'HTML']);
  const matrix = await sentBy('matrix', { authorization_header: 'Bearer token' });
  const { method, path, headers } = lastTo(receiver, 'matrix') ?? {};
  assert.deepEqual([method, path], ['PUT', `/hook/matrix/${headers?.['x-gitea-delivery']}`]);
  assert.equal(headers?.authorization, 'Bearer token');
  assert.deepEqual([matrix.msgtype, matrix.format], ['m.notice', 'org.matrix.custom.html']);
  assert.deepEqual(matrix['m.mentions'], {});
  for (const text of [telegram.text, matrix.formatted_body]) {
    assert.match(text, /&lt;b&gt;b&lt;\/b&gt;/);
    assert.deepEqual(
      [...new Set(text.match(/<\/?[a-z]+/g))].toSorted(),
      text.includes('<br') ? ['</a', '<a', '<br'] : ['</a', '<a'],
    );
  }
  assert.match(matrix.body, /issue opened: #\d+ @everyone/);
  assert.doesNotMatch(telegram.text, /@\w/, 'nothing mentions anyone');
});

test('Teams gets a card with escaped Markdown and HTML, and a button', async (t) => {
  const { sentBy, forge } = await startWorld(t);
  const body = await sentBy('msteams');
  assert.deepEqual([body['@type'], body['@context']], ['MessageCard', 'https://schema.org/extensions']);
  assert.deepEqual(body.potentialAction[0].targets, [
    { os: 'default', uri: `${forge.url}/ada/engine/issues/1` },
  ]);
  for (const text of [body.title, body.sections[0].text]) assert.doesNotMatch(text, /<|(?<!\\)[*`@[]/);
});

test('DingTalk gets a card of Markdown, and WeChat Work Markdown without characters that have a meaning', async (t) => {
  const { sentBy, forge } = await startWorld(t);
  const ding = await sentBy('dingtalk');
  assert.deepEqual([ding.msgtype, ding.at], ['actionCard', undefined]);
  assert.equal(ding.actionCard.singleURL, `${forge.url}/ada/engine/issues/1`);
  assert.match(ding.actionCard.text, /\\@everyone/);
  const { msgtype, markdown } = await sentBy('wechatwork');
  assert.equal(msgtype, 'markdown');
  assert.match(markdown.content, /^\[ada\/engine\]\(http/);
  assert.doesNotMatch(markdown.content, /[<>@*`]/);
});

test('Feishu gets a card of plain texts, which the secret signs', async (t) => {
  const { sentBy } = await startWorld(t);
  const body = await sentBy('feishu', { config: { secret: 'between us' } });
  assert.equal(body.msg_type, 'interactive');
  const { header, elements } = body.card;
  assert.deepEqual([header.title.tag, elements[0].text.tag], ['plain_text', 'plain_text']);
  const sign = createHmac('sha256', `${body.timestamp}\nbetween us`).digest('base64');
  assert.equal(body.sign, sign);
});

test('Packagist gets the address of the repository after pushes, and nothing after other events', async (t) => {
  const { ada, forge, receiver } = await startWorld(t);
  await addHook(ada, receiver.url, { type: 'packagist', events: ['push', 'issues'] });
  await ada.post(`${ENGINE}/issues`, { title: 'One' });
  await ada.post(`${ENGINE}/contents/a`, { content: '', message: 'Add a' });
  await delivered(forge);
  assert.deepEqual(
    receiver.received.map(({ body }) => body),
    [{ repository: { url: `${forge.url}/ada/engine` } }],
  );
});

test('SourceHut gets the manifest of the commit that was pushed', async (t) => {
  const { ada, forge, receiver } = await startWorld(t);
  const manifest = 'image: alpine/latest\ntasks: []\n';
  await addHook(ada, receiver.url, {
    type: 'sourcehut_builds',
    config: { manifest_path: '.build.yml', visibility: 'UNLISTED', secrets: 'true' },
    authorization_header: 'Bearer token',
  });
  await ada.post(`${ENGINE}/contents/other.txt`, { content: '', message: 'Add other' });
  await delivered(forge);
  assert.equal(receiver.received.length, 0);
  const content = Buffer.from(manifest).toString('base64');
  const { body: added } = await ada.post(`${ENGINE}/contents/.build.yml`, { content, message: 'Build <it>' });
  await delivered(forge);
  const { query, variables } = receiver.received[0]?.body ?? {};
  assert.match(query, /mutation/);
  assert.match(variables.note, /Build <it>/);
  assert.match(variables.note, new RegExp(added.commit.sha.slice(0, 10)));
  assert.deepEqual(
    [variables.manifest, variables.secrets, variables.visibility, variables.tags],
    [manifest, true, 'UNLISTED', ['engine', 'main']],
  );
});

test('titles in messages show the characters that would turn the text around', async (t) => {
  const { forge, ada, receiver } = await startWorld(t);
  await addHook(ada, `${receiver.url}/slack`, { type: 'slack', events: ['issues'] });
  await ada.post(`${ENGINE}/issues`, { title: 'invoice \u202efdp.exe' });
  await delivered(forge);
  assert.match(lastTo(receiver, 'slack')?.body.text, /invoice \\u\{202e\}fdp\.exe/);
});

test('an address with a sign of mentions stays as it is in a message to Telegram', async (t) => {
  const { forge, ada, receiver } = await startWorld(t);
  await addHook(ada, `${receiver.url}/telegram`, { type: 'telegram', events: ['status'] });
  const { body: branch } = await ada.get(`${ENGINE}/branches/main`);
  const target_url = 'https://ci.example.org/@ada/1';
  await ada.post(`${ENGINE}/statuses/${branch.commit.id}`, { state: 'success', context: 'ci', target_url });
  await delivered(forge);
  assert.match(lastTo(receiver, 'telegram')?.body.text, /"https:\/\/ci\.example\.org\/@ada\/1"/);
});

test('each event has a readable message', async (t) => {
  const receiver = await startReceiver(t);
  const forge = await startForge(t, ALLOWED);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const url = receiver.url;
  await addHook(ada, url, { type: 'telegram', events: ['*'] });
  await ada.post(`${ENGINE}/contents/a`, { content: '', message: 'Add <a>\n\nMore', new_branch: 'next' });
  await ada.post(`${ENGINE}/issues`, { title: 'One' });
  await ada.post(`${ENGINE}/issues/1/comments`, { body: 'Hello' });
  await ada.post(`${ENGINE}/pulls`, { title: 'Two', head: 'next', base: 'main' });
  await ada.delete(`${ENGINE}/branches/next`);
  await delivered(forge);
  const plain = receiver.received.map(({ body }) =>
    body.text.replaceAll(/<[^>]*>/g, '').replaceAll(/[0-9a-f]{10}/g, 'ID'),
  );
  assert.deepEqual(plain.slice(0, 5), [
    'ada/engine: branch next was created by ada',
    'ada/engine: 1 new commit on new branch next by ada\nID Add &lt;a&gt; (ada)',
    'ada/engine: issue opened: #1 One by ada',
    'ada/engine: comment created on issue #1 One by ada\nHello',
    'ada/engine: pull request opened: #2 Two by ada',
  ]);
  assert.ok(plain.includes('ada/engine: branch next was deleted by ada'), plain.join('\n'));
});

test('a turn that ends before it has delivered anything does not begin again', async (t) => {
  const { ada, forge, receiver } = await startWorld(t);
  const limits: { turnMs: number } = WEBHOOK_LIMITS;
  const { turnMs } = limits;
  afterTest(t, () => {
    limits.turnMs = turnMs;
  });
  limits.turnMs = -1;
  await addHook(ada, receiver.url, { type: 'packagist', events: ['push', 'issues'] });
  for (const title of ['One', 'Two', 'Three']) await ada.post(`${ENGINE}/issues`, { title });
  await ada.post(`${ENGINE}/contents/a`, { content: '', message: 'Add a' });
  await delivered(forge);
  assert.equal(receiver.received.length, 1);
});
