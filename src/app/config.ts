import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FaultPoint, isFaultPoint } from '../core/faults.ts';
import { SITE_UNITS, type SiteRules, type SiteUnit } from '../repositories/creation/site-rules.ts';

/** Everything an operator may set. Flags win over the environment, the environment over the file. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** absolute */
  readonly dataFolder: string;
  /** null: made from host and port */
  readonly baseUrl: string | null;
  readonly adminName: string;
  /** null: one is generated and printed once */
  readonly adminPassword: string | null;
  readonly trustedProxies: readonly string[];
  /** null: the embedded database in the data folder */
  readonly databaseUrl: string | null;
  readonly siteRules: SiteRules;
  readonly logLevel: string;
  /** where git is looked for: the PATH this process was started with */
  readonly searchPath: string | null;
  /** for tests of what remains after a crash */
  readonly fault: { readonly point: FaultPoint; readonly pass: number } | null;
}

/** A setting cannot be used as it is. The message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Setting {
  /** as on the command line, without the dashes; undefined for what must not show in a list of processes */
  readonly flag?: string;
  readonly variable: string;
  readonly about: string;
  readonly fallback: string;
}

/** One row for each setting; `--help` and the README's table are this list. */
export const SETTINGS = {
  port: {
    flag: 'port',
    variable: 'QUIRE_PORT',
    about: 'port to listen on; 0 takes a free one',
    fallback: '3000',
  },
  host: { flag: 'host', variable: 'QUIRE_HOST', about: 'address to listen on', fallback: '127.0.0.1' },
  data: { flag: 'data', variable: 'QUIRE_DATA', about: 'folder that holds everything', fallback: './data' },
  baseUrl: {
    flag: 'base-url',
    variable: 'QUIRE_BASE_URL',
    about: 'address that people and tools reach the server at (made from host and port)',
    fallback: '',
  },
  databaseUrl: {
    flag: 'database-url',
    variable: 'DATABASE_URL',
    about: 'PostgreSQL to use instead of the embedded database',
    fallback: '',
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    variable: 'QUIRE_TRUSTED_PROXIES',
    about: 'addresses or networks, with commas between, whose X-Forwarded-For is believed',
    fallback: '',
  },
  adminName: {
    flag: 'admin-name',
    variable: 'QUIRE_ADMIN_NAME',
    about: 'name of the site administrator made at the first start',
    fallback: 'root',
  },
  adminPassword: {
    variable: 'QUIRE_ADMIN_PASSWORD',
    about: 'password of that administrator (generated and printed once)',
    fallback: '',
  },
  forcePrivate: {
    flag: 'force-private',
    variable: 'QUIRE_FORCE_PRIVATE',
    about: 'true: repositories are private, and only site administrators may make them public',
    fallback: 'false',
  },
  disabledUnits: {
    flag: 'disabled-units',
    variable: 'QUIRE_DISABLED_UNITS',
    about: 'what no repository has, with commas between, such as repo.wiki,repo.projects',
    fallback: '',
  },
  pushToCreate: {
    flag: 'push-to-create',
    variable: 'QUIRE_PUSH_TO_CREATE',
    about: 'true: a push to a repository that is not there makes it, private',
    fallback: 'false',
  },
  logLevel: {
    flag: 'log-level',
    variable: 'QUIRE_LOG_LEVEL',
    about: 'what is logged: debug, info, warn, error or silent',
    fallback: 'info',
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof SETTINGS;
export type Flags = Readonly<Partial<Record<SettingName | 'config', string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** @throws ConfigError */
export function readConfig(flags: Flags, environment: Environment = process.env): Config {
  const file = readConfigFile(flags.config ?? environment.QUIRE_CONFIG);
  const text = (name: SettingName): string => {
    const setting: Setting = SETTINGS[name];
    return flags[name] ?? nonEmpty(environment[setting.variable]) ?? file[name] ?? setting.fallback;
  };
  return {
    port: portOf(text('port')),
    host: text('host'),
    dataFolder: resolve(text('data')),
    baseUrl: baseUrlOf(text('baseUrl')),
    adminName: text('adminName'),
    adminPassword: text('adminPassword') || null,
    trustedProxies: listOf(text('trustedProxies')),
    siteRules: {
      forcesPrivate: switchOf('forcePrivate', text('forcePrivate')),
      disabledUnits: new Set(listOf(text('disabledUnits')).map(siteUnitOf)),
      pushesCreate: switchOf('pushToCreate', text('pushToCreate')),
    },
    databaseUrl: databaseUrlOf(text('databaseUrl')),
    logLevel: logLevelOf(text('logLevel')),
    searchPath: nonEmpty(environment.PATH) ?? null,
    fault: faultOf(environment.QUIRE_FAULT),
  };
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function switchOf(name: SettingName, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ConfigError(`${SETTINGS[name].variable} must be true or false, not ${text}`);
}

function siteUnitOf(text: string): SiteUnit {
  const unit = SITE_UNITS.find((name) => name === text);
  if (unit !== undefined) return unit;
  throw new ConfigError(`there is no unit ${text} to disable; there are ${SITE_UNITS.join(', ')}`);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** A JSON object with the names of `SETTINGS`; numbers may stand without quotes. */
function readConfigFile(path: string | undefined): Readonly<Partial<Record<SettingName, string>>> {
  if (path === undefined || path === '') return {};
  const settings = parseConfigFile(path);
  const read: Partial<Record<SettingName, string>> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (!(name in SETTINGS)) {
      throw new ConfigError(
        `${path}: unknown setting ${name}; there are ${Object.keys(SETTINGS).join(', ')}`,
      );
    }
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new ConfigError(`${path}: ${name} must be text`);
    read[name as SettingName] = String(value);
  }
  return read;
}

function parseConfigFile(path: string): object {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch (error) {
    throw new ConfigError(`cannot read the configuration file ${path}: ${(error as Error).message}`);
  }
  throw new ConfigError(`the configuration file ${path} must hold a JSON object`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535)
    throw new ConfigError(`the port must be 0 to 65535, not ${text}`);
  return port;
}

function baseUrlOf(text: string): string | null {
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`the base URL must be an http or https address, not ${text}`);
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigError('the base URL takes no user, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}

function databaseUrlOf(text: string): string | null {
  if (text === '') return null;
  if (/^postgres(?:ql)?:\/\//.test(text)) return text;
  throw new ConfigError(
    'the database URL must begin with postgres:// (without one, the embedded database is used)',
  );
}

function logLevelOf(text: string): string {
  if (LOG_LEVELS.includes(text)) return text;
  throw new ConfigError(`the log level must be one of ${LOG_LEVELS.join(', ')}, not ${text}`);
}

/** `NAME` or `NAME:PASS`: which named place ends the process, and at which pass. */
function faultOf(text: string | undefined): Config['fault'] {
  if (text === undefined || text === '') return null;
  const [point = '', pass = '1'] = text.split(':', 2);
  if (!isFaultPoint(point)) throw new ConfigError(`unknown fault point ${point}`);
  return { point, pass: Number(pass) };
}
