// Starts the server of a build on an empty folder, so that the build has the compiled code of a start. This file is beside
// the program. Run it again if another Node is to run the build, as a user who may write to its folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PROGRAM = path.join(import.meta.dirname, 'main.mjs');
const READY = 'ready http';
const WAIT_MS_MAX = 30_000;

const data = mkdtempSync(path.join(tmpdir(), 'quire-compile-'));
const flags = ['--host', '127.0.0.1', '--port', '0', '--data', data, '--log-level', 'silent'];
const server = spawn(process.execPath, [PROGRAM, 'serve', ...flags], {
  // No setting of the person who builds applies to it.
  env: { PATH: process.env.PATH },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const overdue = setTimeout(() => server.kill('SIGKILL'), WAIT_MS_MAX);
let output = '';
server.stdout.setEncoding('utf8').on('data', (chunk) => {
  output += chunk;
  if (output.includes(READY)) server.kill('SIGTERM');
});
const [code] = await once(server, 'close');
clearTimeout(overdue);
rmSync(data, { recursive: true, force: true, maxRetries: 3 });
process.exitCode = code ?? 1;
