import { decodeBase64 } from '../../../base/core/text/base64.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import { MalformedKeyError } from '../../keys/byte-reader.ts';
import type { KeyOwners } from '../../keys/key-owners.ts';
import { sshFingerprint } from '../../keys/ssh/public-key.ts';
import { readCertificate } from '../keys/certificate.ts';
import { identityOf, type SshIdentities } from '../keys/identities.ts';
import type { SshIdentity } from '../model.ts';
import type { BridgeIdentity, BridgeRequest } from './frames.ts';

interface Dependencies {
  readonly keyOwners: KeyOwners;
  readonly identities: SshIdentities;
}

/** Answers what sshd asks about keys and certificates. */
export class BridgeAnswers {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Returns lines for sshd; '' if the key or certificate signs in for no one. */
  async linesFor(request: Exclude<BridgeRequest, { ask: 'serve' }>): Promise<string> {
    return request.ask === 'keys' ? this.#keyLine(request) : this.#principalLine(request);
  }

  /** @see sshd(8), AUTHORIZED_KEYS FILE FORMAT */
  async #keyLine({ key, program }: Extract<BridgeRequest, { ask: 'keys' }>): Promise<string> {
    const blob = decodeBase64(key);
    if (blob === undefined) return '';
    const owned = await this.#use.keyOwners.find({ fingerprint: sshFingerprint(blob) });
    if (owned === undefined) return '';
    return `${optionsFor(`${program} --key ${owned.keyId}`)} ${owned.type} ${owned.content}\n`;
  }

  /** @see sshd_config(5), AuthorizedPrincipalsFile */
  async #principalLine({
    certificate: text,
    program,
  }: Extract<BridgeRequest, { ask: 'principals' }>): Promise<string> {
    const certificate = readOrNothing(text);
    // sshd itself compares the address of the client.
    const found = certificate && (await this.#use.identities.ofCertificate(certificate, undefined));
    if (certificate === undefined || found === undefined) return '';
    const { accountId, principal, expiresAt } = found;
    const name = Buffer.from(certificate.id).toString('base64url');
    const options = `--account ${accountId} --until ${expiresAt} --name ${name}`;
    return `${optionsFor(`${program} ${options}`)} ${principal}\n`;
  }

  /** Returns for whom a client acts that sshd has signed in; undefined if its key was removed meanwhile. */
  async identityOf(by: BridgeIdentity): Promise<SshIdentity | undefined> {
    if (by.kind === 'key') {
      const key = await this.#use.keyOwners.find({ keyId: by.keyId });
      if (key === undefined) return undefined;
      this.#use.keyOwners.recordUse(key);
      return identityOf(key);
    }
    const { accountId, name: keyName, expiresAt } = by;
    if (currentTimeMs() >= expiresAt) return undefined;
    return { kind: 'account', accountId, keyName, by: { kind: 'certificate', expiresAt } };
  }
}

/** Returns the options of a line that allow only a command. @see sshd(8) */
function optionsFor(command: string): string {
  return `restrict,command="${command.replaceAll(/["\\]/g, '\\$&')}"`;
}

function readOrNothing(text: string) {
  try {
    const blob = decodeBase64(text);
    return blob && readCertificate(blob);
  } catch (error) {
    if (error instanceof MalformedKeyError) return undefined;
    throw error;
  }
}
