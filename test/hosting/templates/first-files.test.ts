import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import { fillLicense } from '../../../src/hosting/templates/fill-license.ts';
import { Templates } from '../../../src/hosting/templates/service.ts';

// Runs once: no outcome depends on the database.

const templates = new Templates();
const FACTS = { year: 2031, owner: 'Ada Lovelace', repository: 'engine', email: 'ada@example.org' };

/** Expected text of a license after expansion; undefined for a license without placeholders. */
const FILLED: readonly (readonly [name: string, lines: readonly string[]])[] = [
  ['MIT', ['Copyright (c) 2031 Ada Lovelace']],
  ['Apache-2.0', ['Copyright 2031 Ada Lovelace']],
  [
    'GPL-3.0-only',
    ['     engine', '     Copyright (C) 2031  Ada Lovelace', '     engine  Copyright (C) 2031  Ada Lovelace'],
  ],
  ['GPL-2.0-only', ['     engine Copyright (C) 2031 Ada Lovelace']],
  ['AGPL-3.0-or-later', ['     engine', '     Copyright (C) 2031  Ada Lovelace']],
  ['LGPL-2.1-only', ['     engine', '     Copyright (C) 2031 Ada Lovelace']],
  ['LGPL-3.0-or-later', ['     engine', '     Copyright (C) 2031  Ada Lovelace']],
  ['BSD-2-Clause', ['Copyright (c) 2031 Ada Lovelace ']],
  ['BSD-3-Clause', ['Copyright (c) 2031 Ada Lovelace. ']],
  ['BSD-2-Clause-Patent', ['Copyright (c) 2031 Ada Lovelace']],
  ['ISC', ['Copyright (c) 2031 Ada Lovelace']],
  ['0BSD', ['Copyright (C) 2031 by Ada Lovelace <ada@example.org>']],
  ['MIT-0', ['Copyright 2031 Ada Lovelace']],
  ['UPL-1.0', ['Copyright (c) 2031 Ada Lovelace']],
  ['ECL-1.0', ['     Copyright (c) 2031 Ada Lovelace']],
  ['HPND', ['Copyright 2031 Ada Lovelace']],
  ['NCSA', ['Copyright (c) 2031 Ada Lovelace. All rights reserved.']],
  ['NTP', ['Copyright (c) Ada Lovelace 2031']],
  ['MirOS', ['Copyright 2031 Ada Lovelace <ada@example.org>']],
  ['MulanPSL-2.0', ['Copyright (c) 2031 Ada Lovelace', 'engine is licensed under Mulan PSL v2.']],
  ['Fair', ['Copyright (c) 2031 Ada Lovelace']],
  ['MPL-2.0', []],
  ['Unlicense', []],
  ['BSL-1.0', []],
  ['EPL-2.0', []],
  ['CC0-1.0', []],
  ['CC-BY-4.0', []],
];

for (const [name, lines] of FILLED) {
  test(`the placeholders of ${name} are filled`, async () => {
    const { text } = await templates.licenseNamed(name);
    const filled = await templates.license(name, FACTS);

    const added = filled.split('\n').filter((line) => !text.split('\n').includes(line));
    for (const line of lines)
      assert.ok(added.includes(line), `${line}\nis missing from\n${added.join('\n')}`);
    if (lines.length === 0) assert.equal(filled, text);
    assert.doesNotMatch(
      filled,
      /[<[{](?:year|yyyy|owner|program|name of (?:author|copyright \w+)|copyright holders?|email)[>\]}]/i,
    );
  });
}

test('placeholders in capital letters are filled in a process that has compiled many regular expressions, too', () => {
  const module = new URL('../../../src/hosting/templates/fill-license.ts', import.meta.url).href;
  const script = `import { fillLicense } from '${module}';
    process.stdout.write(fillLicense('<YEAR> <OWNER>', { year: 2031, owner: 'Ada' }));`;
  // V8 does without these optimizations from about 1 MB of compiled expressions on.
  const words = ['--no-regexp-optimization', '--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  assert.equal(stdout, '2031 Ada', stderr);
});

test('inserted text that looks like a placeholder is not expanded', () => {
  const facts = { ...FACTS, owner: '<year> $& $1 [email]', repository: '<owner>' };
  assert.equal(fillLicense('<year> <name of author> <program>', facts), '2031 <year> $& $1 [email] <owner>');
});

test('text in brackets that is not a placeholder stays the same', () => {
  const text = 'see <https://www.gnu.org/licenses/>, [a], {1}, < signature of Ty Coon >, year, owner, YEAR';
  assert.equal(fillLicense(text, FACTS), text);
});

test('a .gitignore has the requested templates in order, each once and under its name', async () => {
  const [go, node] = await Promise.all(['Go', 'Node'].map((name) => templates.gitignoreNamed(name)));
  assert.equal(
    await templates.gitignore(' node,Go,,Node , GO'),
    `# ---> Node\n${node?.text}\n# ---> Go\n${go?.text}\n`,
  );
  assert.equal(await templates.gitignore('Go'), `# ---> Go\n${go?.text}\n`);
});

test('a .gitignore of no templates is empty', async () => {
  assert.equal(await templates.gitignore(''), '');
  assert.equal(await templates.gitignore(' , '), '');
});

test('a label set has the labels of its template', () => {
  assert.deepEqual(templates.labelSet('Default'), templates.labelSetNamed('Default'));
});

test('the error for an unknown template has its name, cut to a bounded length', async () => {
  const refused = (what: string) => (error: unknown) => {
    assert.ok(error instanceof ForgeError);
    assert.deepEqual(error.failure, { kind: 'invalid', what });
    return true;
  };
  await assert.rejects(templates.gitignore('Go,Goo'), refused('unknown gitignore template: Goo'));
  await assert.rejects(
    templates.gitignore('x'.repeat(100_000)),
    refused(`unknown gitignore template: ${'x'.repeat(100)}`),
  );
  await assert.rejects(templates.license('MITT', FACTS), refused('unknown license: MITT'));
  await assert.rejects(templates.license('', FACTS), refused('unknown license: '));
  assert.throws(() => templates.labelSet('Nice'), refused('unknown label set: Nice'));
});
