import { domainToASCII } from 'node:url';
import { SIGN_UP_MODES, type SignUpSettings } from '../../people/sign-up/model.ts';
import { ConfigError } from '../config-error.ts';

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** @throws ConfigError */
export function signUpSettingsOf(text: string, domains: readonly string[]): SignUpSettings {
  const mode = SIGN_UP_MODES.find((name) => name === text);
  if (mode === undefined)
    throw new ConfigError(
      `--sign-up (QUIRE_SIGN_UP) must be ${SIGN_UP_MODES.slice(0, -1).join(', ')} or ${SIGN_UP_MODES.at(-1)}, not ${text}`,
    );
  if (mode === 'domain' && domains.length === 0)
    throw new ConfigError('--sign-up domain needs --sign-up-domains (QUIRE_SIGN_UP_DOMAINS)');
  if (mode !== 'domain' && domains.length > 0)
    throw new ConfigError(`--sign-up-domains has an effect only with --sign-up domain, not ${mode}`);
  return { mode, domains: domains.map(domainOf) };
}

function domainOf(text: string): string {
  const isWild = text.startsWith('*.');
  const typed = isWild ? text.slice(2) : text;
  // `domainToASCII` takes the start of an address, too.
  const domain = /[/?#\\@]/.test(typed) ? '' : domainToASCII(typed).replace(/\.$/, '');
  if (DOMAIN.test(domain)) return isWild ? `*.${domain}` : domain;
  throw new ConfigError(
    `a domain to sign up with must be a name such as example.org or *.example.org, not ${text}`,
  );
}
