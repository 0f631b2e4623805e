import type { Command } from 'commander';
import type { BridgeIdentity } from '../../code/ssh/bridge/frames.ts';
import { examples, withSettings } from '../command.ts';
import { type Flags, readConfig, sshSessionIn } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { askServer, serveCommand } from './process.ts';

interface ServeFlags extends Flags {
  readonly key?: string;
  readonly account?: string;
  readonly until?: string;
  readonly name?: string;
}

/** Adds the commands that the system's OpenSSH runs. */
export function addSshCommands(quire: Command, _print: unknown, status: { code: number }): void {
  const ssh = quire
    .command('ssh')
    .summary("Serve git by the system's OpenSSH")
    .description(
      "Commands that the system's OpenSSH runs. They talk to a server that runs with --ssh-socket true, as the same user.",
    );
  const keysCommand = ssh
    .command('keys <type> <key>')
    .summary('Print what sshd has to know about a key')
    .description(
      'Prints a line of authorized_keys for a key that an account or a repository has, and nothing for others. For AuthorizedKeysCommand.',
    )
    .addHelpText(
      'after',
      examples('AuthorizedKeysCommand /usr/local/bin/quire ssh keys --data /srv/quire %t %k'),
    );
  withSettings(keysCommand).action(async (_type: string, key: string, flags: Flags) => {
    const config = readConfig(flags);
    status.code = await askServer(config, { ask: 'keys', key, program: serveCommand(config) });
  });
  const principalsCommand = ssh
    .command('principals <certificate>')
    .summary('Print what sshd has to know about a certificate')
    .description(
      'Prints the principal of a certificate that is an account, and nothing without one. For AuthorizedPrincipalsCommand.',
    )
    .addHelpText(
      'after',
      examples('AuthorizedPrincipalsCommand /usr/local/bin/quire ssh principals --data /srv/quire %k'),
    );
  withSettings(principalsCommand).action(async (certificate: string, flags: Flags) => {
    const config = readConfig(flags);
    status.code = await askServer(config, {
      ask: 'principals',
      certificate,
      program: serveCommand(config),
    });
  });
  addServe(ssh, status);
}

function addServe(ssh: Command, status: { code: number }): void {
  const command = ssh
    .command('serve')
    .summary('Serve one client of sshd')
    .description(
      'Runs the command of a client that sshd has signed in. The lines that the other commands print name it.',
    )
    .option('--key <id>', 'id of the key')
    .option('--account <id>', 'id of the account of a certificate')
    .option('--until <ms>', 'when the certificate expires')
    .option('--name <id>', 'id of the certificate, in base64url');
  withSettings(command).action(async (flags: ServeFlags) => {
    const request = { ask: 'serve', by: identityOf(flags), ...sshSessionIn() } as const;
    status.code = await askServer(readConfig(flags), request);
  });
}

/** @throws ConfigError */
function identityOf({ key, account, until, name = '' }: ServeFlags): BridgeIdentity {
  if (key !== undefined) return { kind: 'key', keyId: numberOf(key) };
  if (account === undefined || until === undefined) throw new ConfigError('--key or --account is missing');
  return {
    kind: 'certificate',
    accountId: numberOf(account),
    name: Buffer.from(name, 'base64url').toString(),
    expiresAt: numberOf(until),
  };
}

function numberOf(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new ConfigError(`${text} is not a number`);
}
