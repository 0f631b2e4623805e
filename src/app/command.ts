import { type Command, Option } from 'commander';
import type * as Admin from '../admin/work.ts';
import { COMMAND_LINE, runFor } from '../base/core/fairness/caller.ts';
import { armFault } from '../base/core/faults.ts';
import { setGitSearchPath } from '../git/processes/child.ts';
import { requireGit } from '../git/processes/git-version.ts';
import { addressesOf } from '../http/app.ts';
import type { Engines } from './compose.ts';
import { type Config, type Flags, readConfig } from './config.ts';
import type { Services } from './features.ts';
import { SETTINGS } from './settings.ts';

// What all commands share.

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** Settings that say where the data is. The help of every command shows them. */
export const DATA_SETTINGS: readonly string[] = ['data', 'databaseUrl', 'objects'];

/**
 * Adds the settings to a command. Every command accepts all settings, so that you can pass it the server's flags.
 *
 * @param shown names of the settings that `--help` shows
 */
export function withSettings(command: Command, shown = DATA_SETTINGS): Command {
  for (const [name, setting] of Object.entries(SETTINGS)) {
    if (!('flag' in setting)) continue;
    const fallback = 'otherwise' in setting ? setting.otherwise : setting.fallback;
    const about = `${setting.about} (${setting.variable}, default: ${fallback})`;
    const option = new Option(`--${setting.flag} <value>`, about).helpGroup('Settings:');
    command.addOption(option.hideHelp(!shown.includes(name)));
  }
  const file = new Option('--config <file>', 'JSON file with settings (QUIRE_CONFIG)');
  return command.addOption(file.helpGroup('Settings:'));
}

/** What a command does with the data. */
export type CommandWork = (engines: Engines, services: Services, admin: typeof Admin) => Promise<void>;

/** Reads the settings. Git is asked for its version now, so that it answers while the features load. */
export function readSettings(flags: Flags): Config {
  const config = readConfig(flags);
  if (config.searchPath !== null) setGitSearchPath(config.searchPath);
  void requireGit();
  return config;
}

export async function withEngines(
  flags: Flags,
  work: CommandWork,
  options = { ownsFolder: false },
): Promise<void> {
  const config = readSettings(flags);
  if (config.fault !== null) armFault(config.fault.point, config.fault.pass);
  const [{ createServices, openEngines }, admin] = await Promise.all([
    import('./compose.ts'),
    import('../admin/work.ts'),
  ]);
  const addresses = addressesOf(localAddress(config));
  const engines = await openEngines(config, { ...options, addresses });
  // Timers of the engines do not keep the process alive, so the command does.
  const alive = setInterval(() => {}, 60_000);
  try {
    const { tokenSettings, signUpSettings } = config;
    const services = createServices(engines, addresses, { tokenSettings, signUpSettings });
    await runFor(COMMAND_LINE, () => work(engines, services, admin));
  } finally {
    clearInterval(alive);
    await engines.close();
  }
}

function localAddress(config: Config): string {
  return config.baseUrl ?? `http://${config.host}:${config.port}`;
}
