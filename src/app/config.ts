import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { PostgresConnections } from '../base/database/postgres-connections.ts';
import type { MailSettings } from '../base/mail/model.ts';
import type { ResolveHost } from '../base/outbound/model.ts';
import type { OutboundSettings } from '../base/outbound/rules.ts';
import type { ArchiveSettings } from '../code/archives/model.ts';
import { defaultTransferSettings, type TransferSettings } from '../git/interface/transfers.ts';
import { LFS_LIMITS } from '../hosting/lfs/limits.ts';
import type { LfsSettings } from '../hosting/lfs/model.ts';
import type { QuotaSettings } from '../hosting/quota/model.ts';
import type { SiteRules } from '../hosting/repositories/site-rules.ts';
import type { LogFormat } from '../http/log-lines.ts';
import { METRICS_ACCESS, type MetricsAccess } from '../http/metrics-readers.ts';
import {
  hashesAtOnce,
  PASSWORD_COST,
  type PasswordHashingOptions,
  THREADS_DEFAULT,
} from '../people/accounts/passwords/hash-password.ts';
import type { AuditSettings } from '../people/audit/model.ts';
import type { SignInSettings } from '../people/authentication/settings.ts';
import type { ProviderSettings } from '../people/external/model.ts';
import type { OAuthSettings } from '../people/oauth/model.ts';
import type { SecondFactorSettings } from '../people/second-factor/model.ts';
import type { SignUpSettings } from '../people/sign-up/model.ts';
import type { TokenSettings } from '../people/tokens/model.ts';
import type { PageSettings } from '../web/frame/model.ts';
import { ConfigError } from './config-error.ts';
import { APP_LIMITS } from './limits.ts';
import { type Fault, faultOf } from './setting-values/fault.ts';
import { logFormatOf, logLevelOf } from './setting-values/logs.ts';
import { mailSettingsOf } from './setting-values/mail.ts';
import { type ObjectsCredentials, type ObjectsSetting, objectsSettingOf } from './setting-values/objects.ts';
import { outboundSettingsOf } from './setting-values/outbound.ts';
import { pageSettingsOf } from './setting-values/pages.ts';
import { readProviders } from './setting-values/providers.ts';
import { requiredOf, siteUnitOf } from './setting-values/rules.ts';
import { MIB, type Setting } from './setting-values/setting.ts';
import { proxyOf, signInSettingsOf } from './setting-values/sign-in.ts';
import { signUpSettingsOf } from './setting-values/sign-up.ts';
import { type SigningSettings, signingSettingsOf } from './setting-values/signing.ts';
import { type SshSettings, sshSettingsOf } from './setting-values/ssh.ts';
import { switchOf } from './setting-values/switches.ts';
import {
  baseUrlOf,
  databaseUrlOf,
  defaultEmail,
  hostNameOf,
  listOf,
  portOf,
} from './setting-values/values.ts';
import { SETTINGS } from './settings.ts';

export { ConfigError };

/** Everything that an operator can set. Flags override the environment, which overrides the configuration file. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** absolute */
  readonly dataFolder: string;
  /** texts of all settings that are no secrets, by their names, for the audit log */
  readonly shownSettings: Readonly<Record<string, string>>;
  /** null: derived from host and port */
  readonly baseUrl: string | null;
  /** names that requests may give as their host, besides the usual ones; in lower case */
  readonly allowedHosts: readonly string[];
  readonly adminName: string;
  readonly adminEmail: string;
  /** null: the first start generates one and prints it once */
  readonly adminPassword: string | null;
  readonly trustedProxies: readonly string[];
  /** null: the embedded database in the data folder */
  readonly databaseUrl: string | null;
  /** no setting changes it; only a program that calls `startServer` itself can, as tests do */
  readonly databaseConnections?: PostgresConnections | undefined;
  readonly objects: ObjectsSetting;
  /** for the object stores that a command names */
  readonly objectsCredentials: ObjectsCredentials;
  readonly mailSettings: MailSettings;
  readonly pageSettings: PageSettings;
  readonly signUpSettings: SignUpSettings;
  readonly signInSettings: SignInSettings;
  readonly signInProviders: readonly ProviderSettings[];
  readonly siteRules: SiteRules;
  readonly secondFactorSettings: SecondFactorSettings;
  readonly transfers: TransferSettings;
  readonly archiveSettings: ArchiveSettings;
  readonly lfsSettings: LfsSettings;
  readonly quotaSettings: QuotaSettings;
  readonly auditSettings: AuditSettings;
  readonly tokenSettings: TokenSettings;
  readonly oauthSettings: OAuthSettings;
  readonly outboundSettings: OutboundSettings;
  /** no setting changes it; only a program that calls `startServer` itself can, as tests do */
  readonly resolveHost?: ResolveHost | undefined;
  readonly ssh: SshSettings;
  readonly signing: SigningSettings;
  /** empty: those of the data folder */
  readonly credentialKeys: readonly string[];
  readonly logLevel: string;
  readonly logFormat: LogFormat;
  readonly metricsAccess: MetricsAccess;
  /** no setting changes it; only a program that calls `startServer` itself can, as tests do */
  readonly passwordHashing: PasswordHashingOptions;
  /** where to look for git: the PATH of this process */
  readonly searchPath: string | null;
  /** Where tests of crash safety end the process. */
  readonly fault: Fault | null;
}

type SettingName = keyof typeof SETTINGS;
export type Flags = Readonly<Partial<Record<SettingName | 'config', string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

const DAY_MS = 24 * 60 * 60_000;

/**
 * Reads all settings.
 *
 * @throws ConfigError
 */
export function readConfig(flags: Flags, environment: Environment = process.env): Config {
  const file = readConfigFile(flags.config ?? environment.QUIRE_CONFIG);
  const text = (name: SettingName): string => {
    const setting: Setting = SETTINGS[name];
    return flags[name] ?? nonEmpty(environment[setting.variable]) ?? file[name] ?? setting.fallback;
  };
  const baseUrl = baseUrlOf(text('baseUrl'));
  const adminName = text('adminName');
  const objectsCredentials = {
    accessKeyId: text('objectsKeyId'),
    secretAccessKey: text('objectsSecret'),
  };
  const trustedProxies = listOf(text('trustedProxies')).map(proxyOf);
  const signInProviders = readProviders(text('signInProviders'));
  return {
    shownSettings: shownSettings(text),
    port: portOf(text('port')),
    host: text('host'),
    dataFolder: resolve(text('data')),
    baseUrl,
    allowedHosts: listOf(text('allowedHosts')).map(hostNameOf),
    adminName,
    adminEmail: text('adminEmail') || defaultEmail(adminName, baseUrl),
    adminPassword: text('adminPassword') || null,
    trustedProxies,
    mailSettings: mailSettingsOf({
      mail: text('mail'),
      from: text('mailFrom') || defaultEmail('noreply', baseUrl),
      user: text('mailUser'),
      password: text('mailPassword'),
      dataFolder: resolve(text('data')),
    }),
    pageSettings: pageSettingsOf(text),
    signUpSettings: signUpSettingsOf(text('signUp'), listOf(text('signUpDomains'))),
    signInProviders,
    signInSettings: signInSettingsOf({
      takesPasswords: switchOf('localPasswords', text('localPasswords')),
      hasProviders: signInProviders.length > 0,
      userHeader: text('proxyUserHeader'),
      emailHeader: text('proxyEmailHeader'),
      fullNameHeader: text('proxyNameHeader'),
      createsAccounts: switchOf('proxyAutoCreate', text('proxyAutoCreate')),
      trustedProxies,
    }),
    siteRules: {
      forcesPrivate: switchOf('forcePrivate', text('forcePrivate')),
      disabledUnits: new Set(listOf(text('disabledUnits')).map(siteUnitOf)),
      pushesCreate: switchOf('pushToCreate', text('pushToCreate')),
      allowsFlags: switchOf('repositoryFlags', text('repositoryFlags')),
    },
    secondFactorSettings: { requiredOf: requiredOf(text('requireSecondFactor')) },
    databaseUrl: databaseUrlOf(text('databaseUrl')),
    objects: objectsSettingOf(text('objects'), objectsCredentials),
    objectsCredentials,
    transfers: transfersOf(text),
    archiveSettings: {
      storedBytesMax: wholeNumberOf('archiveMib', text('archiveMib')) * MIB,
      servesDirect: switchOf('serveDirect', text('serveDirect')),
    },
    lfsSettings: lfsSettingsOf(text),
    quotaSettings: quotaSettingsOf(text),
    auditSettings: { keptMs: wholeNumberOf('auditDays', text('auditDays')) * DAY_MS },
    tokenSettings: tokenSettingsOf(text),
    oauthSettings: { isEnabled: switchOf('oauth', text('oauth')) },
    outboundSettings: outboundSettingsOf({
      allow: listOf(text('outboundAllow')),
      block: listOf(text('outboundBlock')),
      ports: listOf(text('outboundPorts')),
    }),
    ssh: sshSettingsOf({
      port: text('sshPort'),
      address: text('sshAddress'),
      hasSocket: switchOf('sshSocket', text('sshSocket')),
      authorities: listOf(text('sshAuthorities')),
    }),
    signing: signingSettingsOf({
      key: text('signingKey'),
      passphrase: text('signingPassphrase'),
      name: text('signingName'),
      email: text('signingEmail') || defaultEmail('quire', baseUrl),
      formerKeys: listOf(text('formerSigningKeys')),
    }),
    credentialKeys: listOf(text('credentialKeys')),
    logLevel: logLevelOf(text('logLevel')),
    logFormat: logFormatOf(text('logFormat')),
    metricsAccess: metricsAccessOf(text('metricsAccess')),
    passwordHashing: { cost: PASSWORD_COST, atOnceMax: hashesAtOnce(processors(environment)) },
    searchPath: nonEmpty(environment.PATH) ?? null,
    fault: faultOf(environment.QUIRE_FAULT),
  };
}

/** A setting with a flag is no secret, apart from credentials in an address. */
function shownSettings(text: (name: SettingName) => string): Readonly<Record<string, string>> {
  const names = Object.keys(SETTINGS).filter(isSetting);
  const shown = names.filter((name) => 'flag' in SETTINGS[name]);
  return Object.fromEntries(shown.map((name) => [name, withoutCredentials(normalized(name, text(name)))]));
}

function normalized(name: SettingName, text: string): string {
  return 'isList' in SETTINGS[name] ? listOf(text).join(',') : text;
}

/** Removes the user, the password and the query of an address. */
function withoutCredentials(text: string): string {
  const url = /^[a-z0-9+]+:\/\//i.test(text) ? URL.parse(text) : null;
  return url === null ? text : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Node itself reads the variable when its pool of threads starts. */
function processors({ UV_THREADPOOL_SIZE: size }: Environment): { cores: number; threads: number } {
  const threads = Number(size ?? THREADS_DEFAULT);
  return { cores: availableParallelism(), threads: Number.isNaN(threads) ? THREADS_DEFAULT : threads };
}

function transfersOf(text: (name: SettingName) => string): TransferSettings {
  const defaults = defaultTransferSettings();
  const number = (name: NumberName) => wholeNumberOf(name, text(name));
  return {
    fetchSlots: text('fetchSlots') === '' ? defaults.fetchSlots : number('fetchSlots'),
    pushSlots: text('pushSlots') === '' ? defaults.pushSlots : number('pushSlots'),
    patienceMs: number('transferPatience') * 1000,
    unpacked: {
      objectBytesMax: number('pushObjectMib') * MIB,
      pushBytesMax: number('pushUnpackedMib') * MIB,
    },
  };
}

export function defaultArchiveSettings(): ArchiveSettings {
  return { storedBytesMax: APP_LIMITS.archivesStoredBytesMax, servesDirect: false };
}

function lfsSettingsOf(text: (name: SettingName) => string): LfsSettings {
  const number = (name: NumberName) => wholeNumberOf(name, text(name));
  const isEnabled = switchOf('lfs', text('lfs'));
  const requiresObjects = switchOf('requireLfsObjects', text('requireLfsObjects'));
  if (requiresObjects && !isEnabled)
    throw new ConfigError('--require-lfs-objects needs git-lfs: set --lfs (QUIRE_LFS) to true');
  return {
    isEnabled,
    batchObjectsMax: number('lfsBatchObjects'),
    objectBytesMax: number('lfsObjectMib') * MIB,
    servesDirect: switchOf('serveDirect', text('serveDirect')),
    requiresObjects,
  };
}

function quotaSettingsOf(text: (name: SettingName) => string): QuotaSettings {
  const mib = text('lfsOwnerMib');
  return {
    ownerBytesMax: mib === '' ? null : wholeNumberOf('lfsOwnerMib', mib) * MIB,
    defaultGroups: listOf(text('quotaGroups')),
  };
}

function tokenSettingsOf(text: (name: SettingName) => string): TokenSettings {
  const days = text('tokenDaysMax');
  return { lifetimeMsMax: days === '' ? null : wholeNumberOf('tokenDaysMax', days) * DAY_MS };
}

export function defaultAuditSettings(): AuditSettings {
  return { keptMs: Number(SETTINGS.auditDays.fallback) * DAY_MS };
}

export function defaultLfsSettings(): LfsSettings {
  return {
    isEnabled: true,
    batchObjectsMax: LFS_LIMITS.lfsBatchObjectsMax,
    objectBytesMax: APP_LIMITS.lfsObjectBytesMax,
    servesDirect: false,
    requiresObjects: false,
  };
}

type NumberName =
  | 'fetchSlots'
  | 'pushSlots'
  | 'transferPatience'
  | 'pushObjectMib'
  | 'pushUnpackedMib'
  | 'archiveMib'
  | 'lfsBatchObjects'
  | 'lfsObjectMib'
  | 'lfsOwnerMib'
  | 'auditDays'
  | 'tokenDaysMax';

function wholeNumberOf(name: NumberName, text: string): number {
  const number = Number(text);
  if (/^\d{1,6}$/.test(text) && number >= 1) return number;
  const { flag, variable } = SETTINGS[name];
  throw new ConfigError(`--${flag} (${variable}) must be a number from 1 to 999999, not ${text}`);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

/** Reads a JSON object with the names of `SETTINGS`. Numbers, true and false need no quotes; a list may be an array. */
function readConfigFile(path: string | undefined): Readonly<Partial<Record<SettingName, string>>> {
  if (path === undefined || path === '') return {};
  const settings = parseConfigFile(path);
  const read: Partial<Record<SettingName, string>> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (!isSetting(name)) throw unknownSetting(`${name} in ${path}`);
    read[name] = textInFile(name, value, path);
  }
  return read;
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function unknownSetting(name: string): ConfigError {
  return new ConfigError(`unknown setting ${name}: choose from ${Object.keys(SETTINGS).join(', ')}`);
}

/** @throws ConfigError if a name is that of no setting */
export function knownSettings(settings: Readonly<Record<string, string>>): Flags {
  const unknown = Object.keys(settings).find((name) => !isSetting(name));
  if (unknown !== undefined) throw unknownSetting(unknown);
  return settings;
}

function textInFile(name: SettingName, value: unknown, path: string): string {
  if (typeof value !== 'object') return String(value);
  const isList = 'isList' in SETTINGS[name];
  if (isList && Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.join(',');
  const allowed = isList ? 'a string or an array of strings' : 'a string, a number, true or false';
  throw new ConfigError(`${name} in ${path} must be ${allowed}`);
}

function parseConfigFile(path: string): object {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch (error) {
    throw new ConfigError(`cannot read the configuration file ${path}: ${(error as Error).message}`);
  }
  throw new ConfigError(`the configuration file ${path} must contain a JSON object`);
}

function metricsAccessOf(text: string): MetricsAccess {
  const access = METRICS_ACCESS.find((name) => name === text);
  if (access !== undefined) return access;
  throw new ConfigError(`the metrics access must be one of ${METRICS_ACCESS.join(', ')}, not ${text}`);
}

/** Variables with what other servers ask an import for. */
export const IMPORT_SECRETS = { password: 'QUIRE_IMPORT_PASSWORD', token: 'QUIRE_IMPORT_TOKEN' } as const;
export type ImportSecret = keyof typeof IMPORT_SECRETS;

/** Returns a secret of an import; undefined if the environment does not have it. */
export function importSecretIn(
  secret: ImportSecret,
  environment: Environment = process.env,
): string | undefined {
  return environment[IMPORT_SECRETS[secret]];
}

/** Returns what sshd says about the client for which it has started this program. */
export function sshSessionIn(environment: Environment = process.env) {
  const { SSH_ORIGINAL_COMMAND: command, SSH_CONNECTION = '', GIT_PROTOCOL: protocol } = environment;
  const [address = ''] = SSH_CONNECTION.split(' ');
  return { command, protocol, address };
}
