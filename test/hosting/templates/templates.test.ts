import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giteaApi } from 'gitea-js';
import { startForge } from '../../support/forge/forge.ts';

const LISTS = ['/api/v1/gitignore/templates', '/api/v1/licenses', '/api/v1/label/templates'];

test('the names of .gitignore templates are listed in alphabetical order', async (t) => {
  const forge = await startForge(t);

  const { status, body } = await forge.get('/api/v1/gitignore/templates');

  assert.equal(status, 200);
  assert.deepEqual(body.slice(0, 5), ['Actionscript', 'Ada', 'Android', 'C', 'C++']);
  for (const name of ['Composer', 'Go', 'JetBrains', 'macOS', 'Node', 'Python', 'TeX', 'VisualStudioCode'])
    assert.ok(body.includes(name), name);
});

test('a .gitignore template has its name and text', async (t) => {
  const forge = await startForge(t);

  const { status, body } = await forge.get('/api/v1/gitignore/templates/Node');

  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['name', 'source']);
  assert.equal(body.name, 'Node');
  assert.match(body.source, /^node_modules\/$/m);
});

test('each license has its SPDX identifier and the URL of its text', async (t) => {
  const forge = await startForge(t);

  const { status, body } = await forge.get('/api/v1/licenses');

  assert.equal(status, 200);
  const keys: string[] = body.map(({ key }: { key: string }) => key);
  const expected = [
    'AGPL-3.0-or-later',
    'Apache-2.0',
    'BSD-3-Clause',
    'CC0-1.0',
    'GPL-3.0-only',
    'ISC',
    'MIT',
  ];
  assert.deepEqual(
    keys.filter((key) => expected.includes(key)),
    expected,
  );
  assert.deepEqual(new Set(keys).size, keys.length);
  assert.ok(
    !keys.includes('GPL-3.0') && !keys.includes('GPL-2.0+'),
    'deprecated SPDX licenses are not listed',
  );
  assert.deepEqual(body[keys.indexOf('MIT')], {
    key: 'MIT',
    name: 'MIT',
    url: `${forge.url}/api/v1/licenses/MIT`,
  });
});

test('every listed license has a text at its URL', async (t) => {
  const forge = await startForge(t);
  const { body: listed } = await forge.get('/api/v1/licenses');

  for (const { key, name, url } of listed) {
    const { status, body } = await forge.get(url.slice(forge.url.length));
    assert.equal(status, 200, name);
    const { body: text, implementation, ...entry } = body;
    assert.deepEqual(entry, { key, name, url });
    assert.ok(text.length > 150 && /\S\n$/.test(text), name);
    assert.ok(implementation.length > 0);
  }
});

test('the text of a license keeps its placeholders', async (t) => {
  const forge = await startForge(t);
  const { body } = await forge.get('/api/v1/licenses/MIT');
  assert.match(body.body, /^MIT License\n\nCopyright \(c\) <year> <copyright holders>\n/);
});

test('the two label sets are listed', async (t) => {
  const forge = await startForge(t);
  const { status, body } = await forge.get('/api/v1/label/templates');
  assert.deepEqual([status, body], [200, ['Advanced', 'Default']]);
});

test('a label set lists the name, color, description and exclusivity of each label', async (t) => {
  const forge = await startForge(t);

  const usual = await forge.get('/api/v1/label/templates/Default');
  const advanced = await forge.get('/api/v1/label/templates/Advanced');

  assert.deepEqual(usual.body[0], {
    name: 'bug',
    color: 'ee0701',
    description: 'Something does not work',
    exclusive: false,
  });
  const short = ({ name, color, exclusive }: Record<string, string>) =>
    `${name}${exclusive ? '*' : ''} ${color}`;
  assert.deepEqual(usual.body.map(short), [
    'bug ee0701',
    'duplicate cccccc',
    'enhancement 84b6eb',
    'help wanted 128a0c',
    'invalid e6e6e6',
    'question cc317c',
    'wontfix ffffff',
  ]);
  assert.deepEqual(advanced.body.map(short), [
    'Kind/Bug ee0701',
    'Kind/Feature 0288d1',
    'Kind/Enhancement 84b6eb',
    'Kind/Security 9c27b0',
    'Kind/Testing 795548',
    'Kind/Documentation 37474f',
    'Compat/Breaking c62828',
    'Reviewed/Duplicate* 616161',
    'Reviewed/Invalid* 546e7a',
    'Reviewed/Confirmed* 795548',
    "Reviewed/Won't Fix* eeeeee",
    'Status/Need More Info* 424242',
    'Status/Blocked* 880e4f',
    'Status/Abandoned* 222222',
    'Priority/Critical* b71c1c',
    'Priority/High* d32f2f',
    'Priority/Medium* e64a19',
    'Priority/Low* 4caf50',
  ]);
});

test('a template is found in any case, and the response has the original spelling', async (t) => {
  const forge = await startForge(t);
  const named = async (path: string) => (await forge.get(`/api/v1${path}`)).body.name;
  assert.equal(await named('/gitignore/templates/node'), 'Node');
  assert.equal(await named('/gitignore/templates/c%2B%2B'), 'C++');
  assert.equal(await named('/licenses/apache-2.0'), 'Apache-2.0');
  assert.equal((await forge.get('/api/v1/label/templates/default')).status, 200);
});

/** Invalid names, some of which would leave the folder if they were used as paths. */
const NO_NAMES = [
  'Nothing',
  'Node.gitignore',
  'MIT.json',
  '%2e%2e',
  '..%2fservice.ts',
  '..%2f..%2fpackage.json',
  '%2fetc%2fpasswd',
  'Node%00',
  'Node%20',
  'Node%2f',
  '%E2%80%AEedoN',
  '__proto__',
  'constructor',
  'x'.repeat(5000),
];

test('C1: any invalid template name returns 404', async (t) => {
  const forge = await startForge(t);
  for (const list of LISTS) {
    for (const name of NO_NAMES) {
      const { status, text } = await forge.get(`${list}/${name}`);
      assert.equal(status, 404, `${list}/${name}: ${text}`);
      assert.doesNotMatch(text, /ENOENT|node_modules|src\//);
    }
  }
});

test('templates are visible to every caller and token', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const token = await ada.tokenFor(['read:issue']);
  for (const list of LISTS) {
    assert.equal((await forge.get(list)).status, 200);
    assert.equal((await forge.get(list, { as: { token } })).status, 200);
    assert.equal((await forge.get(list, { as: { token: '0'.repeat(40) } })).status, 401);
  }
});

test('gitea-js reads all templates', async (t) => {
  const forge = await startForge(t);
  const client = giteaApi(forge.url, { token: forge.root.token });

  const { data: names } = await client.gitignore.listGitignoresTemplates();
  const { data: gitignore } = await client.gitignore.getGitignoreTemplateInfo(names[0] ?? '');
  const { data: licenses } = await client.licenses.listLicenseTemplates();
  const { data: license } = await client.licenses.getLicenseTemplateInfo(licenses[0]?.key ?? '');
  const { data: sets } = await client.label.listLabelTemplates();
  const { data: labels } = await client.label.getLabelTemplateInfo(sets[0] ?? '');

  assert.equal(gitignore.name, names[0]);
  assert.equal(license.key, licenses[0]?.key);
  assert.equal(labels.length, 18);
});
