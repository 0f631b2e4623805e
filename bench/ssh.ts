import { execFile, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeSshKey } from '../src/code/keys/ssh/public-key.ts';
import { encodeEd25519 } from '../src/code/ssh/keys/private-key-file.ts';
import { startForge } from '../testing/index.ts';
import { describeMachine, loadNow } from './report/machine.ts';
import { median } from './statistics.ts';

// Measures a push and a clone over SSH by the own server, beside HTTP, and beside an sshd with plain git, if this runs as
// root on a machine with sshd. The ways take turns, so a busy machine slows all of them down.
//
// The last rounds have 50 MB. On Linux only, because it reads the CPU time of children from /proc.
//
//   node bench/ssh.ts [ROUNDS]

const ROUNDS = Number(process.argv[2] ?? 11);
const LARGE_BYTES = 50_000_000;
const LARGE_ROUNDS = 3;
const SSHD = '/usr/sbin/sshd';

/** `/proc` counts CPU time in hundredths of a second. */
const TICK_MS = 10;

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'quire-bench-ssh-'));
const work = join(folder, 'work');
const environment = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };

async function git(...args: string[]): Promise<void> {
  await run('git', args, { cwd: existsSync(work) ? work : folder, env: { ...environment, ...ssh } });
}

/** Makes a key, and returns its public line. */
function makeKey(name: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, name), encodeEd25519(privateKey), { mode: 0o600 });
  const { type, blob } = encodeSshKey(privateKey);
  return `${type} ${blob.toString('base64')}`;
}

const options = [
  'IdentitiesOnly=yes',
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'LogLevel=ERROR',
];
const key = makeKey('key');
const ssh = {
  GIT_SSH_COMMAND: `ssh -F /dev/null -i ${join(folder, 'key')} ${options.map((each) => `-o ${each}`).join(' ')}`,
};

/** Returns the CPU time of this process and of its ended children, which are the clients and the git of the server. */
function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (user + system) / 1000 + (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

/** Starts an sshd on a port; undefined where none can run. */
function startSshd(port: number): (() => void) | undefined {
  if (process.getuid?.() !== 0 || !existsSync(SSHD)) return undefined;
  makeKey('host');
  writeFileSync(join(folder, 'authorized_keys'), `${key}\n`);
  const config = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${join(folder, 'host')}`, 'PidFile none'],
    ...[`AuthorizedKeysFile ${join(folder, 'authorized_keys')}`, 'StrictModes no', 'UsePAM no'],
  ];
  writeFileSync(join(folder, 'sshd_config'), `${config.join('\n')}\n`);
  const sshd = spawn(SSHD, ['-D', '-f', join(folder, 'sshd_config')], { stdio: 'ignore' });
  return () => sshd.kill();
}

const forge = await startForge({ settings: { sshPort: '0' } });
const sshdPort = 20_000 + (process.pid % 10_000);
const stopSshd = startSshd(sshdPort);
try {
  const headers = { authorization: `token ${forge.admin.token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${forge.apiRoot}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/user/keys', { title: 'bench', key });
  for (const repository of ['http', 'ssh']) await post('/user/repos', { name: repository });
  const plain = join(folder, 'plain.git');
  execFileSync('git', ['init', '-q', '--bare', plain]);
  const { name } = forge.admin;
  const remotes: Record<string, string> = {
    'over HTTP': `${forge.url.replace('//', `//${name}:${forge.admin.token}@`)}/${name}/http.git`,
    'over SSH': `ssh://git@127.0.0.1:${forge.running.ssh?.port}/${name}/ssh.git`,
    ...(stopSshd === undefined ? {} : { 'sshd with plain git': `ssh://root@127.0.0.1:${sshdPort}${plain}` }),
  };
  mkdirSync(work);
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Ada');
  await git('config', 'user.email', 'ada@example.org');
  const times = new Map<string, { ms: number[]; cpuMs: number[] }>();
  const measure = async (what: string, act: () => Promise<void>) => {
    const startedAt = performance.now();
    const usedBefore = usedCpuMs();
    await act();
    const { ms, cpuMs } = times.get(what) ?? { ms: [], cpuMs: [] };
    ms.push(performance.now() - startedAt);
    cpuMs.push(usedCpuMs() - usedBefore);
    times.set(what, { ms, cpuMs });
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const isLarge = round >= ROUNDS - LARGE_ROUNDS;
    writeFileSync(join(work, 'file'), isLarge ? randomBytes(LARGE_BYTES) : `${round}\n`);
    await git('add', '.');
    await git('commit', '-q', '-m', `round ${round}`);
    const size = isLarge ? '50 MB' : 'one commit';
    for (const [way, remote] of Object.entries(remotes)) {
      await measure(`push of ${size}, ${way}`, () => git('push', '-q', remote, 'main'));
      const copy = join(folder, `copy-${round}`);
      await measure(`clone after a push of ${size}, ${way}`, () => git('clone', '-q', remote, copy));
      rmSync(copy, { recursive: true });
    }
  }
  process.stdout.write(
    `${JSON.stringify(describeMachine())}, load ${loadNow()}\n\n| work | ms | CPU ms |\n|---|---|---|\n`,
  );
  // The CPU time of sshd is not that of an ended child.
  for (const [what, { ms, cpuMs }] of times) {
    const cpu = what.includes('sshd') ? '' : Math.round(median(cpuMs));
    process.stdout.write(`| ${what} | ${Math.round(median(ms))} | ${cpu} |\n`);
  }
} finally {
  stopSshd?.();
  await forge.stop();
  rmSync(folder, { recursive: true, force: true });
}
