import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../support/git/git.ts';
import { ROOT, run } from '../support/process.ts';
import { isInstalled } from '../support/tools.ts';

// Runs once: no outcome depends on the database.

const LINTERS = join(ROOT, '.ci/linters/site');
const whyNoLinters = existsSync(LINTERS) ? false : '".ci/install-clients" installs the linters';

test('hadolint finds nothing in the container file', { skip: whyNoLinters }, async (t) => {
  await passes(t, join(LINTERS, 'bin/hadolint'), ['deploy/Dockerfile']);
});

test('the compose file has the form that its specification asks for', { skip: whyNoLinters }, async (t) => {
  const words = ['-m', 'check_jsonschema', '--builtin-schema', 'vendor.compose-spec', 'deploy/compose.yaml'];
  await passes(t, 'python3', words, { PYTHONPATH: LINTERS });
});

test('systemd accepts the unit', async (t) => {
  if (!(await isInstalled('systemd-analyze'))) return t.skip('the machine has no systemd-analyze');
  const unit = join(await temporaryFolder(t), 'quire.service');
  const text = await readFile(join(ROOT, 'deploy/quire.service'), 'utf8');
  // It also checks that the program is there.
  await writeFile(unit, text.replace('/usr/local/bin/quire', process.execPath));
  await passes(t, 'systemd-analyze', ['verify', '--man=no', unit]);
});

async function passes(
  t: TestContext,
  command: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  const linter = run(t, command, words, { environment });
  const { code } = await linter.ended();
  assert.equal(code, 0, linter.output());
}
