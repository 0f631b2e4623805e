import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushedRepository } from '../../code/contents/files.ts';
import { startForge } from '../../support/forge/forge.ts';

const DEFAULT = { blank_issues_enabled: true, contact_links: [] };

test('the configuration of new issues comes from the first config file', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const link = '- {name: Chat, url: https://chat.example.org/x, about: Ask here}';
  await pushedRepository(t, ada, 'engine', {
    '.gitea/ISSUE_TEMPLATE/config.yml': `blank_issues_enabled: false\ncontact_links:\n${link}\n`,
    '.github/ISSUE_TEMPLATE/config.yaml': 'contact_links: 5\n',
  });

  const config = await forge.get('/api/v1/repos/ada/engine/issue_config');
  const validation = await forge.get('/api/v1/repos/ada/engine/issue_config/validate');

  assert.deepEqual(config.body, {
    blank_issues_enabled: false,
    contact_links: [{ name: 'Chat', url: 'https://chat.example.org/x', about: 'Ask here' }],
  });
  assert.deepEqual(validation.body, { valid: true, message: '' });
});

test('without a config file, blank issues are allowed and the configuration is valid', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('empty');
  await pushedRepository(t, ada, 'engine', {
    'config.yaml': 'contact_links: 5\n',
    'ISSUE_TEMPLATE/config.yaml': '',
  });

  for (const name of ['engine', 'empty']) {
    const url = `/api/v1/repos/ada/${name}/issue_config`;
    assert.deepEqual((await forge.get(url)).body, DEFAULT);
    assert.deepEqual((await forge.get(`${url}/validate`)).body, { valid: true, message: '' });
  }
});

const INVALID: Record<string, [text: string, message: RegExp]> = {
  'no-yaml': ['a: [', /invalid YAML/],
  list: ['- a', /not a mapping/],
  blank: ['blank_issues_enabled: maybe', /blank_issues_enabled must be true or false/],
  links: ['contact_links: {a: b}', /contact_links must be a list/],
  link: ['contact_links: [a]', /contact_link at position 1 must be a mapping/],
  name: ['contact_links: [{url: "https://a.example", about: b}]', /position 1 is missing name key/],
  url: ['contact_links: [{name: a, about: b}]', /position 1 is missing url key/],
  about: ['contact_links: [{name: a, url: "https://a.example"}]', /position 1 is missing about key/],
  script: ['contact_links: [{name: a, url: "javascript:alert(1)", about: b}]', /http or https/],
  relative: ['contact_links: [{name: a, url: "/x", about: b}]', /http or https/],
  deep: [`a: ${'['.repeat(200)}${']'.repeat(200)}`, /the YAML is nested deeper than 100/],
  'very-deep': [`a:\n${'- '.repeat(10_000)}1`, /the YAML is nested deeper than 100/],
  large: [`# ${'x'.repeat(70_000)}`, /too large/],
};

for (const [name, [text, message]] of Object.entries(INVALID)) {
  test(`an invalid configuration of issues is reported, and the default one holds (${name})`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    await pushedRepository(t, ada, 'engine', { '.forgejo/issue_template/config.yaml': text });

    const { body } = await forge.get('/api/v1/repos/ada/engine/issue_config/validate');

    assert.equal(body.valid, false);
    assert.match(body.message, message);
    assert.match(body.message, /^\.forgejo\/issue_template\/config\.yaml: /);
    assert.deepEqual((await forge.get('/api/v1/repos/ada/engine/issue_config')).body, DEFAULT);
  });
}
