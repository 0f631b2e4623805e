import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { ForgeError } from '../../src/base/core/failure.ts';
import { MalformedObjectError } from '../../src/git/format/malformed-object.ts';
import type { GitObject, ObjectType, Oid } from '../../src/git/format/model.ts';
import { newObject } from '../../src/git/format/new-object.ts';
import { isReadByGit } from '../../src/git/format/tree-paths.ts';
import { encodePack } from '../../src/git/packs/encode-pack.ts';
import { STRICT_OPTION } from '../../src/git/packs/fsck-rules.ts';
import { type CheckedObject, checkObject } from '../../src/git/small-packs/check-object.ts';
import { git, gitBytes, temporaryFolder } from './git-fixture.ts';

// Runs once: no outcome depends on the database.

const PERSON = 'Ada L <ada@example.org> 1700000000 +0000';
const TRIES = 6_000;
/** Few, so that one rejected object is found among them. */
const OBJECTS_IN_ONE_PACK = 100;

/** Objects that new ones may name. */
interface Named {
  readonly folder: string;
  readonly blob: Oid;
  readonly tree: Oid;
  readonly commit: Oid;
}

function namedObjects(t: TestContext): Named {
  const folder = temporaryFolder(t);
  git(folder, ['init', '-q']);
  const blob = git(folder, ['hash-object', '-w', '--stdin'], 'x\n');
  const tree = git(folder, ['mktree'], `100644 blob ${blob}\ta\n`);
  return { folder, blob, tree, commit: git(folder, ['commit-tree', '-m', 'x', tree]) };
}

/** Returns numbers below a bound, the same ones in each run. */
function sequence(start: number): (bound: number) => number {
  let state = start;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

function goodObjects({ blob, tree, commit }: Named): readonly (readonly [ObjectType, Buffer])[] {
  const entry = (mode: string, name: string, oid: Oid) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
  const people = `author ${PERSON}\ncommitter ${PERSON}\n`;
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n';
  return [
    ['commit', Buffer.from(`tree ${tree}\nparent ${commit}\n${people}\nmessage\n`)],
    ['commit', Buffer.from(`tree ${tree}\n${people}encoding latin1\n${signature}\nmessage\n`)],
    ['tag', Buffer.from(`object ${commit}\ntype commit\ntag v1\ntagger ${PERSON}\n\nmessage\n`)],
    ['tag', Buffer.from(`object ${tree}\ntype tree\ntag v1\ntagger ${PERSON}\n\nmessage\n`)],
    [
      'tree',
      Buffer.concat([entry('100644', 'a', blob), entry('40000', 'b', tree), entry('160000', 'm', commit)]),
    ],
    [
      'tree',
      Buffer.concat([entry('100644', 'a', blob), entry('100755', 'a-b', blob), entry('40000', 'aa', tree)]),
    ],
    ['tree', Buffer.concat([entry('40000', 'git', tree), entry('120000', 'x.git', blob)])],
  ];
}

const PIECES = [
  '\n',
  ' ',
  '\0',
  '<',
  '>',
  '0',
  '-',
  '\n\n',
  '/',
  '\\',
  '\t',
  '.',
  '..',
  '.git',
  '.GIT',
].concat(
  ['git~1', '.git ', '.git.', '.gitmodules', 'GITMOD~1', '\u200d', '\ufeff', '040000', '100664', '40000'],
  ['parent ', 'tree ', 'author ', 'committer ', 'tagger ', `author ${PERSON}\n`, '99999999999', '+00000'],
);

/** Changes content in up to three places. */
function changed(content: Buffer, next: (bound: number) => number): Buffer {
  let bytes = content;
  for (let count = next(3); count >= 0; count -= 1) {
    const at = next(bytes.length + 1);
    const piece = Buffer.from(PIECES[next(PIECES.length)] ?? '');
    const removed = [0, piece.length, 1 + next(4)][next(3)] ?? 0;
    const added = [piece, Buffer.of(next(256)), Buffer.alloc(0)][next(3)] ?? piece;
    bytes = Buffer.concat([
      bytes.subarray(0, at),
      added,
      bytes.subarray(Math.min(bytes.length, at + removed)),
    ]);
  }
  return bytes;
}

function checked(object: GitObject): CheckedObject | undefined {
  try {
    return checkObject('sha1', object);
  } catch (error) {
    assert.ok(error instanceof ForgeError || error instanceof MalformedObjectError);
    return undefined;
  }
}

test('D4: git accepts every object that a small push may bring without git', async (t) => {
  const named = namedObjects(t);
  const types: ReadonlyMap<Oid, ObjectType> = new Map([
    [named.blob, 'blob'],
    [named.tree, 'tree'],
    [named.commit, 'commit'],
  ]);
  const good = goodObjects(named);
  const next = sequence(7);
  const accepted = new Map<Oid, GitObject>();
  for (let number = 0; number < TRIES; number += 1) {
    const [type, content] = good[next(good.length)] ?? ['blob', Buffer.alloc(0)];
    const object = newObject('sha1', type, changed(content, next));
    const { links, entries } = checked(object) ?? { links: undefined, entries: [] };
    // git decides about these in any case.
    if (entries.some(({ name }) => isReadByGit(name))) continue;
    if (links?.every((link) => types.get(link.oid) === link.type)) accepted.set(object.oid, object);
  }
  assert.ok(accepted.size > TRIES / 20, `${accepted.size} objects`);
  const objects = [...accepted.values()];
  for (let at = 0; at < objects.length; at += OBJECTS_IN_ONE_PACK) {
    const pack = await buffer(encodePack('sha1', objects.slice(at, at + OBJECTS_IN_ONE_PACK)));
    gitBytes(named.folder, ['index-pack', '--stdin', STRICT_OPTION], pack);
  }
});
