import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../src/base/database/migrate.ts';
import { openDatabase } from '../src/base/database/open.ts';
import { createLocalStorage } from '../src/git/create.ts';
import { buildCommit, commitTo, MAIN } from '../test/git/git-fixture.ts';

/**
 * Measures the bytes that repacks write while a large repository receives small pushes:
 *
 *     node bench/repack.ts [MEBIBYTES] [ROUNDS]
 *
 * Each round is 50 commits, as over the API, and one repack. A file counts when its inode is new.
 */
const [mebibytes = 64, rounds = 8] = process.argv.slice(2).map(Number);
const COMMITS_PER_ROUND = 50;
const MEBIBYTE = 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'quire-repack-'));
const database = openDatabase({ kind: 'file', path: join(folder, 'quire.db') });
await migrate(database);
const storage = createLocalStorage({ database, folder: join(folder, 'git') });
await database.transaction((tx) => storage.refs.create(7, { head: MAIN, objectFormat: 'sha1' }, tx));
const packs = join(folder, 'git/07/7.git/objects/pack');

/** Sizes of the files of packs, by inode. */
function packFiles(): Map<number, number> {
  const stats = readdirSync(packs).map((name) => statSync(join(packs, name)));
  return new Map(stats.map(({ ino, size }) => [ino, size]));
}

let tip: string | null = null;
async function commit(files: Record<string, string>): Promise<void> {
  const next = buildCommit('sha1', files, tip === null ? [] : [tip]);
  await commitTo(storage, 7, next.objects, [{ ref: MAIN, old: tip, new: next.oid }]);
  tip = next.oid;
}

try {
  for (let at = 0; at < mebibytes; at += 1)
    await commit({ large: randomBytes(MEBIBYTE / 2).toString('hex') });
  await storage.upkeep.maintain(7, 'repack');
  let total = 0;
  for (let round = 1; round <= rounds; round += 1) {
    for (let nth = 0; nth < COMMITS_PER_ROUND; nth += 1) await commit({ small: `${round} ${nth}` });
    const before = packFiles();
    const from = performance.now();
    await storage.upkeep.maintain(7, 'repack');
    const ms = Math.round(performance.now() - from);
    const fresh = [...packFiles()].filter(([ino]) => !before.has(ino)).map(([, size]) => size);
    const bytes = fresh.reduce((sum, size) => sum + size, 0);
    total += bytes;
    const names = readdirSync(packs).filter((name) => name.endsWith('.pack'));
    process.stdout.write(`round ${round}: ${bytes} bytes written, ${ms} ms, ${names.length} packs\n`);
  }
  process.stdout.write(`total: ${(total / MEBIBYTE).toFixed(1)} MiB\n`);
} finally {
  await storage.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
