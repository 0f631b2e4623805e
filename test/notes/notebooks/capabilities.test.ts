import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';

const MEANT = { 'ocs-apirequest': 'true' };

test('capabilities list the notes for a signed-in caller, as JSON or XML', async (t) => {
  const forge = await startForge(t);
  const { name, password } = await forge.account('ada');
  for (const [version, ok] of [
    ['v1.php', 100],
    ['v2.php', 200],
  ] as const) {
    const path = `/ocs/${version}/cloud/capabilities`;
    const as = { name, password };
    const json = await forge.send('GET', path, { as, headers: { ...MEANT, accept: 'application/json' } });
    assert.equal(json.status, 200);
    assert.equal(json.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(json.body.ocs.meta, { status: 'ok', statuscode: ok, message: 'OK' });
    assert.deepEqual(json.body.ocs.data.capabilities.notes, {
      api_version: ['0.2', '1.4'],
      version: '4.13.0',
      notes_path: 'Notes',
    });
    assert.match(json.body.ocs.data.version.string, /^\d+\.\d+\.\d+$/);
    // A client would take the id of a note for one of a file.
    assert.equal(json.body.ocs.data.capabilities.files, undefined);
    const byQuery = await forge.send('GET', `${path}?format=json`, { as, headers: MEANT });
    assert.deepEqual(byQuery.body, json.body);

    const xml = await forge.send('GET', path, { as, headers: MEANT });
    assert.match(xml.headers.get('content-type') ?? '', /^text\/xml/);
    assert.match(xml.text, /^<\?xml version="1.0"\?>\n<ocs>/);
    assert.match(xml.text, /<api_version>\s*<element>0\.2<\/element>\s*<element>1\.4<\/element>/);
    assert.match(xml.text, new RegExp(`<statuscode>${ok}</statuscode>`));
  }
});

test('capabilities show an anonymous caller nothing about notes', async (t) => {
  const forge = await startForge(t);
  const answer = await forge.get('/ocs/v2.php/cloud/capabilities?format=json', { headers: MEANT });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.ocs.data.capabilities.notes, undefined);
});

test('wrong credentials fail in the envelope, with status 401 in both versions', async (t) => {
  const forge = await startForge(t);
  for (const version of ['v1.php', 'v2.php']) {
    const answer = await forge.send('GET', `/ocs/${version}/cloud/capabilities?format=json`, {
      as: { name: 'root', password: 'wrong' },
      headers: MEANT,
    });
    assert.equal(answer.status, 401);
    assert.deepEqual([answer.body.ocs.meta.status, answer.body.ocs.meta.statuscode], ['failure', 997]);
  }
});

test('F3: a call without proof of intent is rejected', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { name, password } = ada;
  const path = '/cloud/capabilities?format=json';
  const refused = await forge.send('GET', `/ocs/v2.php${path}`, { as: { name, password } });
  assert.deepEqual([refused.status, refused.body.ocs.meta.statuscode], [412, 412]);
  const first = await forge.send('GET', `/ocs/v1.php${path}`, { as: { name, password } });
  assert.deepEqual([first.status, first.body.ocs.meta.status], [200, 'failure']);
  assert.equal((await ada.get(`/ocs/v2.php${path}`)).status, 200);
});
