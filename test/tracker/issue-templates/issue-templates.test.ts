import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Files, pushedRepository, writeFiles } from '../../code/contents/files.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { commitAll, git } from '../../support/git/git.ts';

const URL_OF_TEMPLATES = '/api/v1/repos/ada/engine/issue_templates';

/** A Markdown template whose name says which one it is. */
const named = (name: string) => `---\nname: ${name}\nabout: About ${name}\n---\n\nText\n`;

const FORM = `name: Report
description: Something broke
title: '[bug] '
labels: [bug, help wanted]
ref: main
body:
  - type: markdown
    attributes: {value: Hello}
  - type: textarea
    id: what
    attributes: {label: What happened?, render: shell}
    validations: {required: true}
  - type: input
    attributes: {label: Version, placeholder: '1.0'}
    validations: {is_number: true}
    visible: [content]
  - type: dropdown
    attributes: {label: Where, multiple: true, options: [here, there]}
  - type: checkboxes
    attributes:
      label: Terms
      options: [{label: I agree, required: true, visible: [form]}]
`;

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of wire records by name
async function templatesOf(person: Person): Promise<any[]> {
  const { status, body } = await person.get(URL_OF_TEMPLATES);
  assert.equal(status, 200);
  return body;
}

test('a Markdown template has what its front matter says, and the rest as its content', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', {
    '.gitea/ISSUE_TEMPLATE/bug.md':
      '---\r\nname: Bug\ntitle: "[bug] "\nabout: Something broke\nlabels: bug, help wanted,\nref: main\n---\nWhat happened?\n',
  });

  assert.deepEqual(await templatesOf(ada), [
    {
      name: 'Bug',
      title: '[bug] ',
      about: 'Something broke',
      labels: ['bug', 'help wanted'],
      ref: 'refs/heads/main',
      content: 'What happened?\n',
      body: null,
      file_name: '.gitea/ISSUE_TEMPLATE/bug.md',
    },
  ]);
});

test('a form has its fields, with an id and places where they appear', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await pushedRepository(t, ada, 'engine', { '.github/ISSUE_TEMPLATE/report.yml': FORM });

  assert.deepEqual(await templatesOf(ada), [
    {
      name: 'Report',
      title: '[bug] ',
      about: 'Something broke',
      labels: ['bug', 'help wanted'],
      ref: 'refs/heads/main',
      content: '',
      body: [
        { type: 'markdown', id: '0', attributes: { value: 'Hello' }, validations: {}, visible: ['form'] },
        {
          type: 'textarea',
          id: 'what',
          attributes: { label: 'What happened?', render: 'shell' },
          validations: { required: true },
          visible: ['form', 'content'],
        },
        {
          type: 'input',
          id: '2',
          attributes: { label: 'Version', placeholder: '1.0' },
          validations: { is_number: true },
          visible: ['content'],
        },
        {
          type: 'dropdown',
          id: '3',
          attributes: { label: 'Where', multiple: true, options: ['here', 'there'] },
          validations: {},
          visible: ['form', 'content'],
        },
        {
          type: 'checkboxes',
          id: '4',
          attributes: { label: 'Terms', options: [{ label: 'I agree', required: true, visible: ['form'] }] },
          validations: {},
          visible: ['form', 'content'],
        },
      ],
      file_name: '.github/ISSUE_TEMPLATE/report.yml',
    },
  ]);
});

test('templates come from every folder for them, and only from files directly in it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const places = ['', '.forgejo/', '.gitea/', '.github/', '.gitlab/', 'docs/'];
  const folders = places.flatMap((place) => [`${place}ISSUE_TEMPLATE`, `${place}issue_template`]);
  const files = Object.fromEntries(folders.map((folder, index) => [`${folder}/a.md`, named(`T${index}`)]));
  const { folder, push } = await pushedRepository(t, ada, 'engine', {
    ...files,
    'ISSUE_TEMPLATE/b.yaml': FORM,
    'ISSUE_TEMPLATE/deep/c.md': named('deep'),
    'ISSUE_TEMPLATE/d.txt': named('text'),
    'ISSUE_TEMPLATE/config.md': named('config'),
    'other/ISSUE_TEMPLATE/e.md': named('other'),
    'ISSUE_TEMPLATE.md': named('single'),
  });
  await symlink('a.md', join(folder, 'ISSUE_TEMPLATE/link.md'));
  await commitAll(folder, 'A link');
  await push('main');

  const names = (await templatesOf(ada)).map(({ name }) => name);

  assert.deepEqual(names, ['T0', 'Report', ...folders.slice(1).map((_, index) => `T${index + 1}`)]);
});

test('Markdown without usable front matter is named after its file and described by its beginning', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const long = 'Größe '.repeat(20);
  const broken = '---\nname: [\n---\nText\n';
  await pushedRepository(t, ada, 'engine', {
    'ISSUE_TEMPLATE/a.md': 'Plain\n',
    'ISSUE_TEMPLATE/b.md': long,
    'ISSUE_TEMPLATE/c.md': broken,
    'ISSUE_TEMPLATE/d.md': '---\nname: open\n',
    'ISSUE_TEMPLATE/e.md': '',
  });

  const templates = await templatesOf(ada);

  assert.deepEqual(
    templates.map(({ name, about, content }) => ({ name, about, content })),
    [
      { name: 'a.md', about: 'Plain\n', content: 'Plain\n' },
      { name: 'b.md', about: `${'Größe '.repeat(9)}Grö…`, content: long },
      { name: 'c.md', about: broken, content: broken },
      { name: 'd.md', about: '---\nname: open\n', content: '---\nname: open\n' },
    ],
  );
  assert.ok(templates.every(({ ref, labels }) => ref === 'refs/heads/' && labels.length === 0));
});

const FIELD = '- {type: input, attributes: {label: L}}';
const INVALID: Record<string, string> = {
  'no name': `about: x\nbody:\n${FIELD}\n`,
  'no about': `name: x\nbody:\n${FIELD}\n`,
  'a blank name': `name: ' '\nabout: x\nbody:\n${FIELD}\n`,
  'no body': 'name: x\nabout: x\n',
  'an empty body': 'name: x\nabout: x\nbody: []\n',
  'a body that is no list': 'name: x\nabout: x\nbody: {a: b}\n',
  'an unknown type': 'name: x\nabout: x\nbody:\n- {type: video, attributes: {label: L}}\n',
  'an invalid id': 'name: x\nabout: x\nbody:\n- {type: input, id: a b, attributes: {label: L}}\n',
  'an id used twice': `name: x\nabout: x\nbody:\n${'- {type: input, id: a, attributes: {label: L}}\n'.repeat(2)}`,
  'a field without a label': 'name: x\nabout: x\nbody:\n- {type: input}\n',
  'Markdown without a value': 'name: x\nabout: x\nbody:\n- {type: markdown}\n',
  'a dropdown without options': 'name: x\nabout: x\nbody:\n- {type: dropdown, attributes: {label: L}}\n',
  'an option that is no text':
    'name: x\nabout: x\nbody:\n- {type: dropdown, attributes: {label: L, options: [1]}}\n',
  'a checkbox without a label':
    'name: x\nabout: x\nbody:\n- {type: checkboxes, attributes: {label: L, options: [{required: true}]}}\n',
  'required as a text':
    'name: x\nabout: x\nbody:\n- {type: input, attributes: {label: L}, validations: {required: yes}}\n',
  'an unknown place': 'name: x\nabout: x\nbody:\n- {type: input, attributes: {label: L}, visible: [roof]}\n',
  'labels that are no names': `name: x\nabout: x\nlabels: [{a: b}]\nbody:\n${FIELD}\n`,
  'a list': '- name: x\n',
  'no YAML': 'name: "x\n',
  nothing: '',
};

test('a form that is invalid is left out, and the others stay', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const files: Files = Object.fromEntries(
    Object.entries(INVALID).map(([why, text]) => [`ISSUE_TEMPLATE/${why.replaceAll(' ', '-')}.yaml`, text]),
  );
  await pushedRepository(t, ada, 'engine', {
    ...files,
    'ISSUE_TEMPLATE/valid.yaml': `name: x\nabout: x\nbody:\n${FIELD}\n`,
  });

  const names = (await templatesOf(ada)).map(({ file_name }) => file_name);

  assert.deepEqual(names, ['ISSUE_TEMPLATE/valid.yaml']);
});

test('H5: YAML that stands for very much is left out, and other requests proceed meanwhile', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const levels = names.map((name, index) => {
    const items = index === 0 ? 'x' : `*${names[index - 1]}`;
    return `${name}: &${name} [${Array(9).fill(items).join(',')}]\n`;
  });
  const head = (rest: string) => `name: x\nabout: x\n${rest}\nbody:\n${FIELD}\n`;
  const bombs: Record<string, string> = {
    aliases: head(levels.join('')),
    'one-long-text': head(`a: &a ${'x'.repeat(29_000)}\nb: [${Array(9).fill('*a').join(',')}]`),
    merges: head(`a: &a {k: v}\n${'<<: *a\n'.repeat(1000)}`),
    brackets: head(`a: ${'['.repeat(30_000)}`),
    pairs: head(`a: ${'[a: '.repeat(5_000)}`),
    dashes: head(`a:\n  ${'- '.repeat(15_000)}`),
    large: head(`# ${'x'.repeat(40_000)}`),
    huge: head(`# ${'x'.repeat(200_000)}`),
    tags: head('a: !!js/function "x"\nb: !!python/object "y"').replace('a:', '? [1]\n: '),
    reference: head('a: *nothing'),
  };
  const files = Object.entries(bombs).map(([name, text]) => [`ISSUE_TEMPLATE/${name}.yaml`, text]);
  await pushedRepository(t, ada, 'engine', {
    ...Object.fromEntries(files),
    'ISSUE_TEMPLATE/z.md': named('Z'),
  });

  const asked = templatesOf(ada);
  assert.equal((await forge.get('/api/v1/version')).status, 200);

  assert.deepEqual(
    (await asked).map(({ name }) => name),
    ['Z'],
  );
});

test('keys with a meaning in JavaScript stay ordinary keys of a form', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const field = '- {type: input, attributes: {label: L, __proto__: {polluted: true}, constructor: c}}';
  await pushedRepository(t, ada, 'engine', {
    'ISSUE_TEMPLATE/a.yaml': `name: x\nabout: x\nbody:\n${field}\n`,
  });

  const { text } = await ada.get(URL_OF_TEMPLATES);

  assert.match(text, /"attributes":\{"label":"L","__proto__":\{"polluted":true\},"constructor":"c"\}/);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test('a repository without templates, or without commits, has none', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  assert.deepEqual(await templatesOf(ada), []);
  await pushedRepository(t, ada, 'other', { 'a.txt': 'a' });
  assert.deepEqual((await ada.get(URL_OF_TEMPLATES.replace('engine', 'other'))).body, []);
});

test('templates are those of the default branch as it is now, and their tag gives 304', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { folder, push } = await pushedRepository(t, ada, 'engine', { 'ISSUE_TEMPLATE/a.md': named('One') });
  const first = await ada.get(URL_OF_TEMPLATES);
  const sent = { headers: { 'if-none-match': first.headers.get('etag') ?? '' } };
  assert.equal((await ada.get(URL_OF_TEMPLATES, sent)).status, 304);

  await git(folder, ['switch', '-qc', 'next']);
  await writeFiles(folder, { 'ISSUE_TEMPLATE/a.md': named('Two') });
  await commitAll(folder, 'Change');
  await push('next');
  assert.equal((await ada.get(URL_OF_TEMPLATES, sent)).status, 304);
  await ada.patch('/api/v1/repos/ada/engine', { default_branch: 'next' });

  const second = await ada.get(URL_OF_TEMPLATES, sent);
  assert.equal(second.status, 200);
  assert.deepEqual(
    second.body.map(({ name }: { name: string }) => name),
    ['Two'],
  );
});
