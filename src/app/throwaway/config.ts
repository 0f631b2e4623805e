import type { PasswordCost } from '../../people/accounts/passwords/hash-password.ts';
import { type Config, knownSettings, readConfig } from '../config.ts';
import { OWN_SETTINGS } from './own-settings.ts';

/** The lowest cost that argon2id accepts. Passwords in tests protect nothing, and the full cost is 37 ms per hash. */
export const TEST_PASSWORD_COST: PasswordCost = { memoryKib: 8, passes: 1 };

export const ADMIN_NAME = 'root';

export interface ThrowawaySettings {
  readonly logLevel: string;
  /** other settings, by their names in the configuration file */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Returns the settings of a throwaway server. Environment variables and configuration files do not count: they may be those
 * of a server with data.
 *
 * @throws Error that says what is wrong with a setting
 */
export function throwawayConfig(
  { logLevel, settings }: ThrowawaySettings,
  { dataFolder, password }: { dataFolder: string; password: string },
): Config {
  const own = OWN_SETTINGS.find((name) => Object.hasOwn(settings, name));
  if (own !== undefined)
    throw new Error(`a throwaway server chooses the setting ${own} itself: leave it out`);
  const config = readConfig(
    {
      ...knownSettings(settings),
      port: '0',
      host: '127.0.0.1',
      data: dataFolder,
      adminName: ADMIN_NAME,
      logLevel,
    },
    { QUIRE_ADMIN_PASSWORD: password },
  );
  return { ...config, passwordHashing: { ...config.passwordHashing, cost: TEST_PASSWORD_COST } };
}
