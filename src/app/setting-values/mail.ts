import path from 'node:path';
import type { MailSetting, MailSettings } from '../../base/mail/model.ts';
import { ConfigError } from '../config-error.ts';

const OFF = 'off';
const FOLDER = 'folder';
const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };
const ADDRESS = /^[^\s<>@,;"]+@[^\s<>@,;"]+$/;

interface MailTexts {
  readonly mail: string;
  readonly from: string;
  readonly user: string;
  readonly password: string;
  readonly dataFolder: string;
}

/**
 * Parses `off`, `folder`, `smtp://HOST:PORT` or `smtps://HOST:PORT`. Credentials are settings of their own, because the
 * address may appear in a list of processes.
 *
 * @throws ConfigError
 */
export function mailSettingsOf({ mail, from, user, password, dataFolder }: MailTexts): MailSettings {
  if (!ADDRESS.test(from))
    throw new ConfigError(`the sender of mail must be an address such as quire@example.org, not ${from}`);
  return { from, transport: transportOf(mail, { user, password }, dataFolder) };
}

function transportOf(
  text: string,
  credentials: { user: string; password: string },
  dataFolder: string,
): MailSetting {
  if (text === OFF) return { kind: 'none' };
  if (text === FOLDER) return { kind: 'folder', path: path.join(dataFolder, 'mail') };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = url && PORTS[url.protocol];
  if (url === undefined || port === undefined || url.hostname === '')
    throw new ConfigError(
      'mail must be "off", "folder", smtp://HOST:PORT or smtps://HOST:PORT, for example smtp://mail.example.org:587',
    );
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(
      'the address of the mail server must not contain a user or a password: set QUIRE_MAIL_USER and QUIRE_MAIL_PASSWORD',
    );
  if (url.pathname.length > 1 || url.search !== '' || url.hash !== '')
    throw new ConfigError('the address of the mail server must end after the port');
  const { user, password } = credentials;
  if ((user === '') !== (password === ''))
    throw new ConfigError('set both QUIRE_MAIL_USER and QUIRE_MAIL_PASSWORD, or none of them');
  return {
    kind: 'smtp',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? port : Number(url.port),
    isEncrypted: url.protocol === 'smtps:',
    credentials: user === '' ? null : { user, password },
  };
}
