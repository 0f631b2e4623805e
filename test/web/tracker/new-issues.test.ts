import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE, ISSUES, type Wire } from '../../tracker/issues/tracker.ts';
import { HOSTILE, manyFields, startReaders } from './readers.ts';

const NEW = '/ada/engine/issues/new';
const FORM = `name: Bug report
about: Something <is> broken
title: "Bug: "
labels: [bug]
body:
  - type: markdown
    attributes: { value: "**Thanks**" }
  - type: input
    id: version
    attributes: { label: Version }
    validations: { required: true }
  - type: textarea
    id: log
    attributes: { label: Log, render: text }
  - type: dropdown
    id: system
    attributes: { label: System, options: [Linux, macOS] }
  - type: checkboxes
    id: terms
    attributes:
      label: Checks
      options: [{ label: I searched, required: true }, { label: I tried }]
`;

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('a person opens an issue with a form, which the address may fill in', async (t) => {
  const { ada, browsers } = await startReaders(t);
  const label = (await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'd73a4a' })).body;
  const goal = (await ada.post(`${ENGINE}/milestones`, { title: 'Soon' })).body;
  const filled = await browsers.ben.get(`${NEW}?title=It%20hums&body=Why%3F&labels=bug&milestone=${goal.id}`);
  for (const part of [
    'value="It hums"',
    'Why?</textarea>',
    `name="label" value="${label.id}" checked`,
    `<option value="${goal.id}" selected>`,
  ])
    assert.ok(filled.text.includes(part), part);
  assert.ok(!(await browsers.cid.get(NEW)).text.includes('name="label"'));

  const bad = await browsers.ben.post(NEW, { title: ' ', content: HOSTILE });
  assert.equal(bad.status, 422);
  assert.ok(bad.text.includes('&lt;script&gt;') && !bad.text.includes('<script'));
  const created = await browsers.ben.send(
    'POST',
    NEW,
    manyFields(
      ['title', 'It hums'],
      ['content', 'Why?\r\nHow?'],
      ['label', String(label.id)],
      ['milestone', String(goal.id)],
      ['assignee', 'ada'],
    ),
  );
  assert.deepEqual([created.status, created.headers.get('location')], [303, '/ada/engine/issues/1']);
  const issue = (await ada.get(`${ISSUES}/1`)).body;
  assert.deepEqual([issue.title, issue.body, issue.milestone.title], ['It hums', 'Why?\nHow?', 'Soon']);
  assert.deepEqual(
    issue.labels.map(({ name }: Wire) => name),
    ['bug'],
  );
  assert.deepEqual(
    issue.assignees.map(({ login }: Wire) => login),
    ['ada'],
  );
  const byReader = await browsers.cid.post(NEW, { title: 'Mine', content: '', label: String(label.id) });
  assert.equal(byReader.status, 303);
  assert.deepEqual((await ada.get(`${ISSUES}/2`)).body.labels, []);
  const options = { headers: { 'sec-fetch-site': 'cross-site' } };
  assert.equal((await browsers.ben.post(NEW, { title: 'x' }, options)).status, 403);
  const signedOut = await browsers.nobody.get(NEW);
  assert.match(signedOut.headers.get('location') ?? '', /^\/user\/login\?redirect_to=/);
});

test('templates of the repository are offered, and a form of one becomes the text', async (t) => {
  const { ada, browsers } = await startReaders(t, { auto_init: true });
  const choose = await browsers.cid.get(`${NEW}/choose`);
  assert.deepEqual([choose.status, choose.headers.get('location')], [303, NEW]);
  const path = '.gitea/issue_template/bug.yaml';
  await ada.post(`${ENGINE}/contents/${path}`, { content: base64(FORM) });
  await ada.post(`${ENGINE}/labels`, { name: 'bug', color: 'd73a4a' });
  const template = `${NEW}?template=${encodeURIComponent(path)}`;

  const offered = await browsers.cid.get(`${NEW}/choose`);
  const form = await browsers.ada.get(template);

  for (const part of [`href="${template}"`, 'Something &lt;is&gt; broken', 'Blank issue'])
    assert.ok(offered.text.includes(part), part);
  for (const part of [
    'value="Bug: "',
    '<strong>Thanks</strong>',
    'name="field-version"',
    'name="field-log"',
    '<option value="1">macOS</option>',
    'name="field-terms" value="0"',
    ' checked',
  ])
    assert.ok(form.text.includes(part), part);
  const fields = { template: path, title: 'Bug: hum', 'field-version': '1.0', 'field-system': '1' };
  const missing = await browsers.cid.post(NEW, fields);
  assert.equal(missing.status, 422);
  assert.match(missing.text, /I searched.*must be checked/);
  assert.ok(missing.text.includes('value="1.0"') && missing.text.includes('<option value="1" selected>'));
  const unversioned = await browsers.cid.post(NEW, { ...fields, 'field-terms': '0', 'field-version': '' });
  assert.match(unversioned.text, /Version.*is required/);
  const sent = { ...fields, 'field-terms': '0', 'field-log': 'one\r\ntwo' };
  assert.equal((await browsers.cid.post(NEW, sent)).status, 303);
  assert.equal(
    (await ada.get(`${ISSUES}/1`)).body.body,
    [
      '### Version\n\n1.0',
      '### Log\n\n```text\none\ntwo\n```',
      '### System\n\nmacOS',
      '### Checks\n\n- [x] I searched\n- [ ] I tried',
    ].join('\n\n'),
  );
});
