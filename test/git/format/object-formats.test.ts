import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeCommit, parseCommit } from '../../../src/git/format/commit-format.ts';
import type { ObjectFormat, Signature, TreeEntry, TreeMode } from '../../../src/git/format/model.ts';
import { hashObject } from '../../../src/git/format/object-format.ts';
import { parseTree } from '../../../src/git/format/stored-tree.ts';
import { encodeTag, parseTag } from '../../../src/git/format/tag-format.ts';
import { encodeTree } from '../../../src/git/format/tree-format.ts';
import { anyText } from '../../support/any-text.ts';
import { git, gitBytes, temporaryFolder } from '../git-fixture.ts';

// Runs once: no outcome depends on the database.

const formats = fc.constantFrom<ObjectFormat>('sha1', 'sha256');
const modes = fc.constantFrom<TreeMode>('100644', '100755', '120000', '160000', '040000');
const names = anyText({ minLength: 1, maxLength: 20 }).filter(
  (name) => name.isWellFormed() && !/[\0/]/.test(name),
);
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const oidOf = (format: ObjectFormat) => hex(format === 'sha1' ? 40 : 64);
const zones = fc.constantFrom('+0000', '-0330', '+1400', '+0545');
const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
const people: fc.Arbitrary<Signature> = fc.record({
  name: anyText({ maxLength: 30 }).map((text) => `n${text.toWellFormed()}`),
  email: anyText({ maxLength: 30 }).map((text) => text.toWellFormed()),
  seconds,
  zone: zones,
});

test('a tree is parsed as it was encoded, and its entries are sorted', () => {
  const trees = formats.chain((format) =>
    fc.tuple(
      fc.constant(format),
      fc.uniqueArray(fc.record({ mode: modes, name: names, oid: oidOf(format) }), {
        selector: ({ name }) => name,
      }),
    ),
  );
  fc.assert(
    fc.property(trees, ([format, entries]) => {
      const content = encodeTree(format, entries);
      const read = parseTree(format, content);
      assert.deepEqual(new Set(read.map((entry) => JSON.stringify(entry))), new Set(entries.map(inOrder)));
      assert.ok(encodeTree(format, [...entries].reverse()).equals(content));
      assert.ok(encodeTree(format, read).equals(content));
    }),
  );
});

function inOrder({ mode, name, oid }: TreeEntry): string {
  return JSON.stringify({ mode, name, oid });
}

test('git computes the same order and ids of trees', (t) => {
  const folder = temporaryFolder(t);
  git(folder, ['init', '-q']);
  const blob = git(folder, ['hash-object', '-w', '--stdin'], 'x');
  const tree = git(folder, ['mktree'], '');
  const sample = fc.sample(fc.uniqueArray(names, { maxLength: 12 }), { numRuns: 25, seed: 3 });
  for (const given of [
    ['a', 'a.b', 'a-b', 'a0', 'a/', 'ab'].map((name) => name.replace('/', '')),
    ...sample,
  ]) {
    const unique = [...new Set(given)];
    const entries = unique.map(
      (name, index): TreeEntry =>
        index % 2 === 0 ? { mode: '040000', name, oid: tree } : { mode: '100644', name, oid: blob },
    );
    const lines = entries.map(
      ({ mode, name, oid }) => `${mode} ${mode === '040000' ? 'tree' : 'blob'} ${oid}\t${name}\0`,
    );
    const content = encodeTree('sha1', entries);
    assert.equal(hashObject('sha1', 'tree', content), git(folder, ['mktree', '-z'], lines.join('')));
  }
});

test('names that are not UTF-8 keep their bytes in trees', () => {
  const content = encodeTree('sha1', [{ mode: '100644', name: '"f\\377o"', oid: 'a'.repeat(40) }]);
  assert.ok(content.includes(Buffer.from([0x66, 0xff, 0x6f])));
  const [entry] = parseTree('sha1', content);
  assert.equal(entry?.name, '"f\\377o"');
  assert.ok(encodeTree('sha1', entry === undefined ? [] : [entry]).equals(content));
});

test('modes that old or broken tools wrote are read as git reads them', () => {
  const oid = Buffer.alloc(20, 1);
  const read = (mode: string) => parseTree('sha1', Buffer.concat([Buffer.from(`${mode} n\0`), oid]))[0]?.mode;
  const expected = {
    '100664': '100644',
    '0100644': '100644',
    '100775': '100755',
    '040000': '040000',
    '40000': '040000',
  };
  for (const [mode, expectedMode] of Object.entries(expected)) assert.equal(read(mode), expectedMode, mode);
});

test('a truncated tree, or one with a non-numeric mode, is malformed', () => {
  for (const content of ['100644', '100644 a', '100644 a\0short', `9x a\0${'x'.repeat(20)}`]) {
    assert.throws(() => parseTree('sha1', Buffer.from(content)), { name: 'MalformedObjectError' });
  }
});

test('entries that no tree can contain are rejected', () => {
  const oid = 'a'.repeat(40);
  for (const name of ['', 'a/b', 'a\0b']) {
    assert.throws(() => encodeTree('sha1', [{ mode: '100644', name, oid }]), { name: 'ForgeError' });
  }
  const twice: TreeEntry[] = [
    { mode: '100644', name: 'a', oid },
    { mode: '040000', name: 'a', oid },
  ];
  assert.throws(() => encodeTree('sha1', twice), /duplicate name/);
  assert.throws(() => encodeTree('sha256', [{ mode: '100644', name: 'a', oid }]), /not an object id/);
});

test('D5: no name, address or message adds an author or a parent to a commit', () => {
  const commits = formats.chain((format) =>
    fc.record({
      format: fc.constant(format),
      tree: oidOf(format),
      parents: fc.array(oidOf(format), { maxLength: 4 }),
      author: people,
      committer: people,
      message: anyText().map((text) => text.toWellFormed().replaceAll('\0', '')),
    }),
  );
  fc.assert(
    fc.property(commits, ({ format, ...commit }) => {
      const content = encodeCommit(format, commit);
      const read = parseCommit(format, 'x', content);
      const head = content.toString().split('\n\n', 1)[0] ?? '';
      assert.equal(head.split('\n').length, 3 + commit.parents.length);
      assert.equal(read.tree, commit.tree);
      assert.deepEqual(read.parents, commit.parents);
      assert.equal(read.author.seconds, commit.author.seconds);
      assert.equal(read.committer.zone, commit.committer.zone);
      assert.equal(read.message, commit.message);
      assert.equal(read.signature, null);
    }),
  );
});

const ADA: Signature = { name: 'Ada', email: 'ada@example.org', seconds: 1, zone: '+0000' };

test('D5: a header in a name becomes part of the name', () => {
  const author = { ...ADA, name: 'Ada\nparent x <y>\r\n', email: 'a\n@<b>\u0085' };
  const content = encodeCommit('sha1', {
    tree: 'a'.repeat(40),
    parents: [],
    author,
    committer: ADA,
    message: '',
  });
  assert.match(content.toString(), /\nauthor Adaparent x y <a@b> 1 \+0000\n/);
});

test('D5: dates and zones that git cannot represent, and people without a name, are rejected', () => {
  const bad: Partial<Signature>[] = [
    { seconds: -1 },
    { seconds: 1.5 },
    { seconds: Number.NaN },
    { seconds: 253_402_300_800 },
    { zone: 'UTC' },
    { zone: '+2500' },
    { zone: '+0099' },
    { zone: '+0000\nparent' },
    { name: '<>', email: '' },
  ];
  for (const wrong of bad) {
    const author = { ...ADA, ...wrong };
    const encode = () =>
      encodeCommit('sha1', { tree: 'a'.repeat(40), parents: [], author, committer: ADA, message: '' });
    assert.throws(encode, { name: 'ForgeError' }, JSON.stringify(wrong));
  }
  const message = 'a\0b';
  const nul = () =>
    encodeCommit('sha1', { tree: 'a'.repeat(40), parents: [], author: ADA, committer: ADA, message });
  assert.throws(nul, /NUL/);
});

const PEOPLE: readonly (readonly [line: string, expected: Signature])[] = [
  ['Ada <a@b> 5 +0100', { name: 'Ada', email: 'a@b', seconds: 5, zone: '+0100' }],
  ['Ada <a@b>5 +0100', { name: 'Ada', email: 'a@b', seconds: 5, zone: '+0100' }],
  ['Ada 5 +0100', { name: 'Ada', email: '', seconds: 5, zone: '+0100' }],
  ['<a@b> 5 +0100', { name: '', email: 'a@b', seconds: 5, zone: '+0100' }],
  ['Ada <a@b>> 5 +051800', { name: 'Ada', email: 'a@b', seconds: 5, zone: '+051800' }],
  ['Ada <a@b 5 +0100', { name: 'Ada', email: 'a@b', seconds: 5, zone: '+0100' }],
  ['Ada <a@b>', { name: 'Ada', email: 'a@b', seconds: 0, zone: '+0000' }],
  ['Ada <a@b> 5', { name: 'Ada', email: 'a@b', seconds: 5, zone: '+0000' }],
  ['Ada <a@b> -7 +0100', { name: 'Ada', email: 'a@b', seconds: -7, zone: '+0100' }],
  ['Ada <a@b> 18446744073709551615 +0000', { name: 'Ada', email: 'a@b', seconds: 0, zone: '+0000' }],
  ['', { name: '', email: '', seconds: 0, zone: '+0000' }],
];

for (const [line, expected] of PEOPLE) {
  test(`the author of an old commit is read: ${JSON.stringify(line)}`, () => {
    const content = Buffer.from(`tree ${'a'.repeat(40)}\nauthor ${line}\ncommitter x\n\nmessage`);
    assert.deepEqual(parseCommit('sha1', 'x', content).author, expected);
  });
}

test('signatures and merged tags are unfolded and do not affect other headers', () => {
  const content = [
    `tree ${'a'.repeat(40)}`,
    `parent ${'b'.repeat(40)}`,
    'author A <a> 1 +0000',
    'committer C <c> 2 +0000',
    `mergetag object ${'c'.repeat(40)}`,
    ' type commit',
    ' tag v1',
    ' tagger T <t> 3 +0000',
    ' ',
    ` parent ${'d'.repeat(40)}`,
    'gpgsig -----BEGIN PGP SIGNATURE-----',
    ' ',
    ' abc',
    ' -----END PGP SIGNATURE-----',
    '',
    'gpgsig not a header',
  ].join('\n');
  const commit = parseCommit('sha1', 'x', Buffer.from(content));
  assert.deepEqual(commit.parents, ['b'.repeat(40)]);
  assert.equal(commit.signature?.text, '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n');
  const unsigned = content.replace(/^gpgsig (?:.*\n )*.*\n/m, '');
  assert.equal(Buffer.from(commit.signature?.payload ?? []).toString(), unsigned);
  assert.equal(commit.message, 'gpgsig not a header');
});

test('text that is not UTF-8 is decoded by its declared encoding, or byte by byte', () => {
  const commit = (header: string, message: Buffer) =>
    parseCommit('sha1', 'x', Buffer.concat([Buffer.from(`tree ${'a'.repeat(40)}\n${header}\n`), message]))
      .message;
  assert.equal(commit('', Buffer.from('é')), 'é');
  assert.equal(commit('encoding ISO-8859-2\n', Buffer.from([0xb1])), 'ą');
  assert.equal(commit('encoding nonsense\n', Buffer.from([0xe9])), 'é');
  assert.equal(commit('', Buffer.from([0xe9])), 'é');
});

test('every input is parsed or rejected as malformed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const parse of [
        () => parseTree('sha1', bytes),
        () => parseCommit('sha1', 'x', bytes),
        () => parseTag('sha256', 'x', bytes),
      ]) {
        try {
          parse();
        } catch (error) {
          assert.equal((error as Error).name, 'MalformedObjectError');
        }
      }
    }),
  );
});

test('a signature signs the object without the signatures of both formats, from the last one in a tag', () => {
  const armor = (text: string) => `-----BEGIN SSH SIGNATURE-----\n${text}\n-----END SSH SIGNATURE-----\n`;
  const field = (name: string, text: string) => `${name} ${armor(text).trimEnd().replaceAll('\n', '\n ')}\n`;
  const head = `tree ${'1'.repeat(40)}\nauthor A <a> 1 +0000\ncommitter C <c> 2 +0000\n`;
  const rest = 'gpgsigother x\n\ngpgsig in the message\n';
  const content = head + field('gpgsig', 'one') + field('gpgsig-sha256', 'other') + rest;
  const signed = parseCommit('sha1', 'x', Buffer.from(content)).signature;
  assert.equal(signed?.text, armor('one'));
  assert.equal(Buffer.from(signed?.payload ?? []).toString(), head + rest);
  const twice = head + field('gpgsig', 'one') + field('gpgsig', 'two') + rest;
  assert.equal(parseCommit('sha1', 'x', Buffer.from(twice)).signature?.text, armor('one') + armor('two'));

  const start = `object ${'1'.repeat(40)}\ntype commit\ntag v1\n`;
  const body = `\nQuotes\n${armor('a quote')}and ends\n`;
  const tag = start + field('gpgsig-sha256', 'other') + body + armor('one');
  const ofTag = parseTag('sha1', 'x', Buffer.from(tag)).signature;
  assert.equal(ofTag?.text, armor('one'));
  assert.equal(Buffer.from(ofTag?.payload ?? []).toString(), start + body);
});

test('a tag is parsed as it was encoded, and git accepts it', (t) => {
  const folder = temporaryFolder(t);
  git(folder, ['init', '-q']);
  const tree = git(folder, ['mktree'], '');
  const tag = { object: tree, type: 'tree' as const, name: 'v1', tagger: ADA, message: 'first\n' };
  const content = encodeTag('sha1', tag);
  const oid = git(folder, ['hash-object', '-w', '-t', 'tag', '--stdin'], content);
  assert.equal(oid, hashObject('sha1', 'tag', content));
  assert.deepEqual(parseTag('sha1', oid, gitBytes(folder, ['cat-file', 'tag', oid])), {
    oid,
    ...tag,
    signature: null,
  });
  const old = parseTag('sha1', 'x', Buffer.from(`object ${tree}\ntype tree\ntag v0\n\nno tagger\n`));
  assert.equal(old.tagger, null);
});
