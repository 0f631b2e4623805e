import { type Command, Option } from 'commander';
import { examples } from '../command.ts';
import { SETTINGS } from '../settings.ts';
import { OWN_SETTINGS } from './own-settings.ts';

const SEED_FORM = `
The seed is JSON (*.json) or YAML with the members users, organizations, repositories, clock and made_at:

  users: [{ name: ada, tokens: [{ name: ci, scopes: [write:repository] }] }]
  repositories:
    - name: ada/engine
      files: { README.md: "# Engine" }
      branches: { next: main }
      issues: [{ title: It is slow, labels: [bug] }]
      labels: [{ name: bug, color: "#d73a4a" }]

docs/testing.md describes all of it, with examples for node:test, vitest, jest, pytest, Go and Rust.`;

const LIFE = `
Prints one line of JSON when it is ready: url, admin (name and password), token (of that administrator, for all
scopes), users (of the seed: password and tokens by name), version and pid. Logs to standard error.

It ends, and removes its data, when its standard input closes, when the process that started it ends, or on
SIGTERM, SIGINT or SIGHUP. It reads no environment variables and no configuration file, and listens on 127.0.0.1 only.

Besides all that "quire serve" has, it has:
  POST /-/test/reset  brings back the world right after the seed, in a few milliseconds
  GET  /-/test/clock  returns the time of the server
  POST /-/test/clock  moves it: {"set":"2030-01-31T12:00:00Z"}, {"advance":"30d"}, {"freeze":true}`;

/** Adds `quire forge`. */
export function addForgeCommand(quire: Command): void {
  const command = quire
    .command('forge')
    .summary('Run a throwaway server for tests')
    .description('Runs a throwaway server for tests, on a free port, with data that ends with it.')
    .option('--seed <file>', 'world to start with (default: only the administrator root)')
    .option('--on-disk', 'use the folder for temporary files, even if there is room in memory')
    .option('--log-level <level>', 'how much to log to standard error', 'warn')
    .addHelpText('after', LIFE)
    .addHelpText('after', SEED_FORM)
    .addHelpText('after', examples('quire forge', 'quire forge --seed world.yaml --repository-flags true'));
  for (const [name, setting] of Object.entries(SETTINGS)) {
    if (!('flag' in setting) || OWN_SETTINGS.includes(name) || name === 'logLevel') continue;
    const option = new Option(`--${setting.flag} <value>`, setting.about).helpGroup(
      'Settings of the server:',
    );
    command.addOption(option);
  }
  command.action(async ({ seed, onDisk, logLevel, ...settings }: Flags) => {
    const { runForge } = await import('./run.ts');
    await runForge({ seed, onDisk: onDisk === true, logLevel, settings: settings as Record<string, string> });
  });
}

interface Flags {
  readonly seed?: string;
  readonly onDisk?: boolean;
  readonly logLevel: string;
  readonly [setting: string]: unknown;
}
