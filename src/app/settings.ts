import { SITE_UNITS } from '../hosting/repositories/site-rules.ts';
import { REQUIRED_OF } from '../people/second-factor/model.ts';

import { PAGE_SETTINGS } from './setting-values/page-settings.ts';
import type { Setting } from './setting-values/setting.ts';
import { TRANSFER_SETTINGS } from './setting-values/transfer-settings.ts';

/** All settings. `--help` prints this list, and a test compares it with the table in the README. */
export const SETTINGS = {
  port: {
    flag: 'port',
    variable: 'QUIRE_PORT',
    about: 'port to listen on; 0 picks a free one',
    fallback: '3000',
  },
  host: { flag: 'host', variable: 'QUIRE_HOST', about: 'address to listen on', fallback: '127.0.0.1' },
  data: { flag: 'data', variable: 'QUIRE_DATA', about: 'folder for all data', fallback: './data' },
  baseUrl: {
    flag: 'base-url',
    variable: 'QUIRE_BASE_URL',
    about: 'address at which users and tools reach the server',
    fallback: '',
    otherwise: 'from host and port',
  },
  databaseUrl: {
    flag: 'database-url',
    variable: 'DATABASE_URL',
    about: 'PostgreSQL 15 or newer to use instead of the embedded database',
    fallback: '',
    otherwise: 'embedded',
  },
  objects: {
    flag: 'objects',
    variable: 'QUIRE_OBJECTS',
    about:
      'where to store files that are not git objects: folder (in the data folder) or s3://BUCKET/PREFIX?endpoint=URL',
    fallback: 'folder',
  },
  objectsKeyId: {
    variable: 'QUIRE_OBJECTS_KEY_ID',
    about: 'id of the access key for the S3 store',
    fallback: '',
    otherwise: 'none',
  },
  objectsSecret: {
    variable: 'QUIRE_OBJECTS_SECRET',
    about: 'secret of that access key',
    fallback: '',
    otherwise: 'none',
  },
  mail: {
    flag: 'mail',
    variable: 'QUIRE_MAIL',
    about:
      'how to send mail: off, folder (as files in the data folder), smtp://HOST:PORT or smtps://HOST:PORT',
    fallback: 'off',
  },
  mailFrom: {
    flag: 'mail-from',
    variable: 'QUIRE_MAIL_FROM',
    about: 'address that sends the mail',
    fallback: '',
    otherwise: 'noreply, at the host of the base URL or at localhost',
  },
  mailUser: {
    variable: 'QUIRE_MAIL_USER',
    about: 'user at the mail server',
    fallback: '',
    otherwise: 'none',
  },
  mailPassword: {
    variable: 'QUIRE_MAIL_PASSWORD',
    about: 'password of that user',
    fallback: '',
    otherwise: 'none',
  },
  signUp: {
    flag: 'sign-up',
    variable: 'QUIRE_SIGN_UP',
    about:
      'who may create an account: off (administrators alone), invitation, domain (also people with an address at one of some domains) or open; without mail, the account waits for an administrator',
    fallback: 'off',
  },
  signUpDomains: {
    flag: 'sign-up-domains',
    variable: 'QUIRE_SIGN_UP_DOMAINS',
    about: 'comma-separated domains of these addresses; *.example.org stands for its subdomains',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    variable: 'QUIRE_TRUSTED_PROXIES',
    about:
      'comma-separated addresses or networks of the proxies whose X-Forwarded-For header the server trusts',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  allowedHosts: {
    flag: 'allowed-hosts',
    variable: 'QUIRE_ALLOWED_HOSTS',
    about:
      'comma-separated names at which the server answers, besides the host of the base URL, localhost and IP addresses',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  adminName: {
    flag: 'admin-name',
    variable: 'QUIRE_ADMIN_NAME',
    about: 'name of the site administrator that the first start creates',
    fallback: 'root',
  },
  adminEmail: {
    flag: 'admin-email',
    variable: 'QUIRE_ADMIN_EMAIL',
    about: 'e-mail address of that administrator',
    fallback: '',
    otherwise: 'the name, at the host of the base URL or at localhost',
  },
  adminPassword: {
    variable: 'QUIRE_ADMIN_PASSWORD',
    about: 'password of that administrator',
    fallback: '',
    otherwise: 'generated',
  },
  localPasswords: {
    flag: 'local-passwords',
    variable: 'QUIRE_LOCAL_PASSWORDS',
    about: 'false: passwords of this server sign in nowhere; providers, a proxy and access tokens do',
    fallback: 'true',
  },
  signInProviders: {
    flag: 'sign-in-providers',
    variable: 'QUIRE_SIGN_IN_PROVIDERS',
    about: 'file with the OpenID Connect providers at which users sign in, as docs/sign-in.md describes it',
    fallback: '',
    otherwise: 'none',
  },
  proxyUserHeader: {
    flag: 'proxy-user-header',
    variable: 'QUIRE_PROXY_USER_HEADER',
    about:
      'header, such as X-WEBAUTH-USER, in which a trusted proxy names the user whom it has signed in; only direct connections of trusted proxies may have it',
    fallback: '',
    otherwise: 'none',
  },
  proxyEmailHeader: {
    flag: 'proxy-email-header',
    variable: 'QUIRE_PROXY_EMAIL_HEADER',
    about: 'header with the e-mail address of that user, for new accounts',
    fallback: '',
    otherwise: 'none',
  },
  proxyNameHeader: {
    flag: 'proxy-name-header',
    variable: 'QUIRE_PROXY_NAME_HEADER',
    about: 'header with the full name of that user, for new accounts',
    fallback: '',
    otherwise: 'none',
  },
  proxyAutoCreate: {
    flag: 'proxy-auto-create',
    variable: 'QUIRE_PROXY_AUTO_CREATE',
    about: 'true: a user whom the proxy names gets an account at the first request',
    fallback: 'false',
  },
  forcePrivate: {
    flag: 'force-private',
    variable: 'QUIRE_FORCE_PRIVATE',
    about: 'true: all repositories are private unless a site administrator makes them public',
    fallback: 'false',
  },
  disabledUnits: {
    flag: 'disabled-units',
    variable: 'QUIRE_DISABLED_UNITS',
    about: `comma-separated units that no repository may have: ${SITE_UNITS.join(', ')}`,
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  pushToCreate: {
    flag: 'push-to-create',
    variable: 'QUIRE_PUSH_TO_CREATE',
    about: 'true: pushing to a missing repository creates it as private',
    fallback: 'false',
  },
  requireSecondFactor: {
    flag: 'require-second-factor',
    variable: 'QUIRE_REQUIRE_SECOND_FACTOR',
    about: `users who must set up a second factor before they do anything else: ${REQUIRED_OF.join(', ')}`,
    fallback: 'none',
  },
  oauth: {
    flag: 'oauth',
    variable: 'QUIRE_OAUTH',
    about: 'false: programs cannot sign users in by OAuth2 and OpenID Connect',
    fallback: 'true',
  },
  repositoryFlags: {
    flag: 'repository-flags',
    variable: 'QUIRE_REPOSITORY_FLAGS',
    about: 'true: site administrators may flag repositories over the API',
    fallback: 'false',
  },
  ...TRANSFER_SETTINGS,
  credentialKeys: {
    variable: 'QUIRE_CREDENTIAL_KEYS',
    about:
      'comma-separated keys that encrypt stored credentials, each 32 bytes in base64; the first one encrypts, all decrypt',
    fallback: '',
    otherwise: 'from credentials.key in the data folder',
    isList: true,
  },
  sshPort: {
    flag: 'ssh-port',
    variable: 'QUIRE_SSH_PORT',
    about: 'port on which the server itself listens for SSH; 0 picks a free one',
    fallback: '',
    otherwise: 'none: the server does not listen for SSH',
  },
  sshAddress: {
    flag: 'ssh-address',
    variable: 'QUIRE_SSH_ADDRESS',
    about: 'HOST or HOST:PORT at which users reach the server over SSH, if it differs from where it listens',
    fallback: '',
    otherwise: 'the host of the base URL, and the SSH port',
  },
  sshSocket: {
    flag: 'ssh-socket',
    variable: 'QUIRE_SSH_SOCKET',
    about: "true: the system's OpenSSH can serve this server, by a socket in the data folder",
    fallback: 'false',
  },
  sshAuthorities: {
    flag: 'ssh-authorities',
    variable: 'QUIRE_SSH_AUTHORITIES',
    about: 'comma-separated files with public keys of authorities whose SSH certificates sign users in',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  signingKey: {
    flag: 'signing-key',
    variable: 'QUIRE_SIGNING_KEY',
    about: 'file with an OpenPGP or SSH private key, which signs the commits that the server makes',
    fallback: '',
    otherwise: 'none: commits are not signed',
  },
  signingPassphrase: {
    variable: 'QUIRE_SIGNING_PASSPHRASE',
    about: 'passphrase of that key',
    fallback: '',
    otherwise: 'none',
  },
  signingName: {
    flag: 'signing-name',
    variable: 'QUIRE_SIGNING_NAME',
    about: 'name of the signer, which verified signatures of the server show',
    fallback: 'Quire',
  },
  signingEmail: {
    flag: 'signing-email',
    variable: 'QUIRE_SIGNING_EMAIL',
    about: 'e-mail address of that signer',
    fallback: '',
    otherwise: 'quire, at the host of the base URL or at localhost',
  },
  formerSigningKeys: {
    flag: 'former-signing-keys',
    variable: 'QUIRE_FORMER_SIGNING_KEYS',
    about: 'comma-separated files with public keys with which the server signed before',
    fallback: '',
    otherwise: 'none',
    isList: true,
  },
  ...PAGE_SETTINGS,
  metricsAccess: {
    flag: 'metrics-access',
    variable: 'QUIRE_METRICS_ACCESS',
    about:
      'who may read /metrics: loopback (direct connections from this machine), token or everyone; site administrators always may, with a token',
    fallback: 'loopback',
  },
  logLevel: {
    flag: 'log-level',
    variable: 'QUIRE_LOG_LEVEL',
    about: 'how much to log: trace, debug, info, warn, error, fatal or silent',
    fallback: 'info',
  },
  logFormat: {
    flag: 'log-format',
    variable: 'QUIRE_LOG_FORMAT',
    about: 'form of the log: text, json, or auto, which is text on a terminal and json elsewhere',
    fallback: 'auto',
  },
} as const satisfies Record<string, Setting>;
