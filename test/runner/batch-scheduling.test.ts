import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const MODULE = pathToFileURL(path.resolve(import.meta.dirname, 'batch-scheduling.ts')).href;
/** SCHED_BATCH: see sched(7) */
const BATCH = 3;
/** Prints the policy of a process that starts after the call: the 41st field of its stat, see proc_pid_stat(5). */
const PROGRAM = `
  import { execFileSync } from 'node:child_process';
  import { scheduleAsBatch } from ${JSON.stringify(MODULE)};
  scheduleAsBatch();
  console.log(execFileSync('cut', ['-d', ' ', '-f', '41', '/proc/self/stat'], { encoding: 'utf8' }));`;

const hasChrt = spawnSync('chrt', ['--batch', '0', 'true'], { stdio: 'ignore' }).status === 0;

test('the processes of a run are scheduled as a batch', {
  skip: hasChrt ? false : 'this system cannot schedule processes as a batch',
}, () => {
  const node = [process.execPath, '--input-type=module', '--eval', PROGRAM];

  const { stdout, stderr } = spawnSync('chrt', ['--other', '0', ...node], { encoding: 'utf8' });

  assert.equal(Number(stdout), BATCH, stderr);
});
