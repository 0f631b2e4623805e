import { ConfigError } from '../config-error.ts';
import { SETTINGS } from '../settings.ts';

type SwitchName =
  | 'localPasswords'
  | 'proxyAutoCreate'
  | 'forcePrivate'
  | 'pushToCreate'
  | 'repositoryFlags'
  | 'serveDirect'
  | 'lfs'
  | 'requireLfsObjects'
  | 'sshSocket'
  | 'oauth';

/** Parses `true` or `false`. @throws ConfigError */
export function switchOf(name: SwitchName, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const { flag, variable } = SETTINGS[name];
  throw new ConfigError(`--${flag} (${variable}) must be true or false, not ${text}`);
}
