import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { RepositoryFolder } from '../../../src/git/folders/repository-layout.ts';
import { FLUSH, pktLine } from '../../../src/git/format/pkt-line.ts';
import { startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';

const DELIMITER = '0001';

function request(...lines: readonly string[]): Buffer<ArrayBuffer> {
  const words = [pktLine('command=ls-refs\n'), pktLine('object-format=sha1'), Buffer.from(DELIMITER)];
  return Buffer.concat([...words, ...lines.map((word) => pktLine(`${word}\n`)), FLUSH]);
}

/** Returns the response of git's own upload-pack from the mirror of a repository. */
async function answerOfGit(gitDir: string, body: Uint8Array): Promise<string> {
  const child = spawn('git', ['upload-pack', '--stateless-rpc', gitDir], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROTOCOL: 'version=2',
      GIT_CONFIG_GLOBAL: '/dev/null',
      HOME: '/nonexistent',
    },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  child.stdin.end(body);
  await once(child, 'close');
  return text;
}

async function answerOfForge(forge: TestForge, path: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const answer = await forge.send('POST', `/${path}.git/git-upload-pack`, {
    headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
    body,
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/x-git-upload-pack-result');
  return answer.text;
}

test('ls-refs of protocol 2 returns the same response as git, for every request', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  const folder = await workingCopy(t);
  await commitAll(folder, 'one');
  await git(folder, ['branch', 'topic/a']);
  await git(folder, ['tag', 'light']);
  await git(folder, ['tag', '-a', '-m', 'v1', 'v1']);
  await git(folder, ['tag', '-a', '-m', 'nested', 'nested', 'v1']);
  const remote = ada.remote('ada/engine');
  // Arguments of ls-refs. The repository is empty first: only HEAD exists and names a missing branch.
  const requests = [
    [],
    ['peel', 'symrefs'],
    ['peel', 'symrefs', 'unborn'],
    ['ref-prefix HEAD', 'symrefs'],
    ['ref-prefix refs/tags/', 'peel'],
    ['ref-prefix refs/heads/topic', 'ref-prefix refs/tags/v', 'ref-prefix HEAD'],
    ['ref-prefix refs/tags/v', 'ref-prefix refs/tags/', 'ref-prefix refs/heads/', 'ref-prefix H'],
    ['ref-prefix refs/nothing/', 'unborn', 'symrefs'],
  ];
  await git(folder, ['ls-remote', '-q', remote]);
  for (const state of ['empty', 'full']) {
    if (state === 'full') await git(folder, ['push', '-q', remote, '--all']);
    if (state === 'full') await git(folder, ['push', '-q', remote, '--tags']);
    // Protocol 0 writes the mirror, which git reads here.
    await git(folder, ['-c', 'protocol.version=0', 'ls-remote', remote]);
    const gitDir = RepositoryFolder.of(join(forge.forge.dataFolder, 'git'), id).path;
    for (const lines of requests) {
      const body = request(...lines);
      assert.equal(
        await answerOfForge(forge, 'ada/engine', body),
        await answerOfGit(gitDir, body),
        lines.join(', '),
      );
    }
  }
});

test('ls-refs rejects another object format and a truncated request', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const body of [
    Buffer.concat([pktLine('command=ls-refs\n'), pktLine('object-format=sha256'), FLUSH]),
    Buffer.concat([pktLine('command=ls-refs\n'), pktLine('object-format=sha1')]),
  ]) {
    const answer = await forge.send('POST', '/ada/engine.git/git-upload-pack', {
      headers: { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' },
      body,
    });
    assert.equal(answer.status, 400);
  }
});
