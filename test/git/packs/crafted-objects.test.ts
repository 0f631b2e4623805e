import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ForgeError } from '../../../src/base/core/failure.ts';
import type { Oid } from '../../../src/git/format/model.ts';
import { git, gitBytes, MAIN, NOTHING_MORE, openGitFixture, temporaryFolder } from '../git-fixture.ts';

// Runs once: no outcome depends on the database.

const PACK_BYTES_MAX = 1024 * 1024;

function emptyClone(t: TestContext): string {
  const folder = temporaryFolder(t);
  git(folder, ['init', '-q']);
  return folder;
}

function isInvalid(error: unknown): boolean {
  return error instanceof ForgeError && error.failure.kind === 'invalid';
}

/** Creates a pack with objects that git would not create: `[type, content]`. */
function craftPack(
  clone: string,
  objects: readonly (readonly [string, Buffer])[],
): { pack: Readable; oids: Oid[] } {
  const oids = objects.map(([type, content]) =>
    git(clone, ['hash-object', '-w', '--literally', '--stdin', '-t', type], content),
  );
  return {
    pack: Readable.from([gitBytes(clone, ['pack-objects', '--stdout', '-q'], `${oids.join('\n')}\n`)]),
    oids,
  };
}

const PERSON = 'Ada <ada@example.org> 1700000000 +0000';

function treeWith(mode: string, name: string | Buffer, oid: Oid): Buffer {
  return Buffer.concat([
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(oid, 'hex'),
  ]);
}

function blobOid(content: Buffer): Oid {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

const BLOB = Buffer.from('payload\n');
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const HOSTILE: readonly (readonly [name: string, objects: readonly (readonly [string, Buffer])[]])[] = [
  [
    'a tree that contains ..',
    [
      ['blob', BLOB],
      ['tree', treeWith('100644', '..', blobOid(BLOB))],
    ],
  ],
  [
    'a tree that contains .',
    [
      ['blob', BLOB],
      ['tree', treeWith('100644', '.', blobOid(BLOB))],
    ],
  ],
  [
    'a tree that contains .git',
    [
      ['tree', treeWith('40000', '.git', EMPTY_TREE)],
      ['tree', Buffer.alloc(0)],
    ],
  ],
  [
    'a tree that contains .GiT',
    [
      ['tree', treeWith('40000', '.GiT', EMPTY_TREE)],
      ['tree', Buffer.alloc(0)],
    ],
  ],
  [
    'a tree that contains git~1',
    [
      ['tree', treeWith('40000', 'git~1', EMPTY_TREE)],
      ['tree', Buffer.alloc(0)],
    ],
  ],
  [
    'a .gitmodules that is a symlink',
    [
      ['blob', BLOB],
      ['tree', treeWith('120000', '.gitmodules', blobOid(BLOB))],
    ],
  ],
  [
    'a commit with two authors',
    [
      ['tree', Buffer.alloc(0)],
      [
        'commit',
        Buffer.from(`tree ${EMPTY_TREE}\nauthor ${PERSON}\nauthor ${PERSON}\ncommitter ${PERSON}\n\nx\n`),
      ],
    ],
  ],
  [
    'a commit with NUL in its message',
    [
      ['tree', Buffer.alloc(0)],
      ['commit', Buffer.from(`tree ${EMPTY_TREE}\nauthor ${PERSON}\ncommitter ${PERSON}\n\nx\0y\n`)],
    ],
  ],
  [
    'a tree with a duplicate name',
    [
      ['blob', BLOB],
      [
        'tree',
        Buffer.concat([treeWith('100644', 'a', blobOid(BLOB)), treeWith('100644', 'a', blobOid(BLOB))]),
      ],
    ],
  ],
];

for (const [name, objects] of HOSTILE) {
  test(`D4: a push of ${name} is rejected`, async (t) => {
    const { storage, id } = await openGitFixture(t);
    const clone = emptyClone(t);
    const { pack } = craftPack(clone, objects);
    await using session = await storage.writes.begin(id);
    await assert.rejects(session.ingestPack(pack, { bytesMax: PACK_BYTES_MAX }), isInvalid);
  });
}

const SLIPS: readonly (readonly [name: string, headers: string])[] = [
  ['a bad time zone', `author Ada <ada@example.org> 1700000000 +051800\ncommitter ${PERSON}`],
  ['no space before the date', `author Ada <ada@example.org>1700000000 +0000\ncommitter ${PERSON}`],
  ['no e-mail', `author Ada 1700000000 +0000\ncommitter ${PERSON}`],
  ['no name', `author <ada@example.org> 1700000000 +0000\ncommitter ${PERSON}`],
];

for (const [name, headers] of SLIPS) {
  test(`old history with ${name} is accepted and read`, async (t) => {
    const { storage, id } = await openGitFixture(t);
    const clone = emptyClone(t);
    const { pack, oids } = craftPack(clone, [
      ['tree', Buffer.alloc(0)],
      ['commit', Buffer.from(`tree ${EMPTY_TREE}\n${headers}\n\nold\n`)],
    ]);
    const [, commit = ''] = oids;
    await using session = await storage.writes.begin(id);
    await session.ingestPack(pack, { bytesMax: PACK_BYTES_MAX });
    assert.deepEqual(await session.findDisconnected([commit]), []);
    await storage.writes.commit(session, [{ ref: MAIN, old: null, new: commit }], NOTHING_MORE);
    assert.equal((await session.objects.readCommit(commit)).message, 'old\n');
  });
}
