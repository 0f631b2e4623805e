import type { FastifyBaseLogger } from 'fastify';
import { SYSTEM } from '../../../api/access/viewer.ts';
import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { Accounts } from '../../../people/accounts/service.ts';
import { MalformedKeyError } from '../../keys/byte-reader.ts';
import type { KeyOwners } from '../../keys/key-owners.ts';
import type { OwnedKey } from '../../keys/model.ts';
import { sshFingerprint } from '../../keys/ssh/public-key.ts';
import type { SshIdentity } from '../model.ts';
import {
  type Certificate,
  isCertificateAlgorithm,
  isSignedByAuthority,
  readCertificate,
  whyUnusable,
} from './certificate.ts';
import {
  isProvedByCertificate,
  isProvedByKey,
  isUsableOffer,
  type OfferedKey,
  type Proof,
  readOfferedKey,
} from './proof.ts';

interface Dependencies {
  readonly keyOwners: KeyOwners;
  readonly accounts: Accounts;
  /** public keys of the authorities whose certificates count, in SSH's binary form */
  readonly authorities: readonly Buffer[];
}

interface CertifiedAccount {
  readonly accountId: number;
  /** as the certificate names the account */
  readonly principal: string;
  /** ms */
  readonly expiresAt: number;
}

/** Certificates without an end have a time that no number of milliseconds can be. */
function msOf(seconds: bigint): number {
  return Math.min(Number(seconds) * 1000, Number.MAX_SAFE_INTEGER);
}

/** Finds for whom a client acts that offers a key or a certificate. */
export class SshIdentities {
  readonly #use: Dependencies;
  #log: Pick<FastifyBaseLogger, 'warn'> | undefined;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Sets where it logs why it denies a certificate of an authority. */
  logTo(log: Pick<FastifyBaseLogger, 'warn'>): void {
    this.#log = log;
  }

  /**
   * Returns for whom a client may act, or could act if it proved to possess the key.
   *
   * @param client.proof undefined if the client only asks whether the key would do
   */
  async find(
    offer: OfferedKey,
    client: { readonly proof: Proof | undefined; readonly address: string },
  ): Promise<SshIdentity | undefined> {
    if (isCertificateAlgorithm(offer.algorithm)) return this.#byCertificate(offer, client);
    const publicKey = isUsableOffer(offer) ? readOfferedKey(offer.blob) : undefined;
    if (publicKey === undefined || publicKey.type !== offer.algorithm) return undefined;
    const key = await this.#use.keyOwners.find({ fingerprint: sshFingerprint(offer.blob) });
    if (key === undefined) return undefined;
    if (client.proof !== undefined) {
      if (!(await isProvedByKey(publicKey, offer, client.proof))) return undefined;
      this.#use.keyOwners.recordUse(key);
    }
    return identityOf(key);
  }

  async #byCertificate(
    { blob }: OfferedKey,
    { proof, address }: { readonly proof: Proof | undefined; readonly address: string },
  ): Promise<SshIdentity | undefined> {
    const certificate = readOrDeny(blob);
    if (certificate === undefined || !(await this.#isGenuine(certificate))) return undefined;
    if (proof !== undefined && !(await isProvedByCertificate(certificate, proof))) return undefined;
    const found = await this.ofCertificate(certificate, address);
    if (found === undefined) return undefined;
    const { accountId, expiresAt } = found;
    return {
      kind: 'account',
      accountId,
      keyName: certificate.id,
      by: { kind: 'certificate', expiresAt },
    };
  }

  async #isGenuine(certificate: Certificate): Promise<boolean> {
    const { authority } = certificate;
    const isKnown = this.#use.authorities.some((each) => each.equals(authority.blob));
    return isKnown && (await isSignedByAuthority(certificate));
  }

  /**
   * Returns for whom a genuine certificate acts: the one account among its principals.
   *
   * @param address of the client; undefined if another program has compared it
   */
  async ofCertificate(
    certificate: Certificate,
    address: string | undefined,
  ): Promise<CertifiedAccount | undefined> {
    const why = whyUnusable(certificate, { nowMs: currentTimeMs(), address });
    if (why !== undefined) return this.#deny(certificate, why);
    const { principals, validBefore } = certificate;
    const accounts = await this.#use.accounts.findVisibleUsers(SYSTEM, principals);
    const [account, ...others] = accounts.values();
    if (account === undefined) return this.#deny(certificate, 'no principal is an account');
    if (others.length > 0) return this.#deny(certificate, 'several principals are accounts');
    const lowerName = account.name.toLowerCase();
    const principal = principals.find((each) => each.toLowerCase() === lowerName) ?? account.name;
    return { accountId: account.id, principal, expiresAt: msOf(validBefore) };
  }

  #deny({ id }: Certificate, why: string): undefined {
    this.#log?.warn({ certificate: id }, `an SSH certificate was denied: ${why}`);
  }
}

/** Returns for whom a client acts that possesses the key. */
export function identityOf({
  keyId,
  accountId,
  repositoryOwnerId: ownerId,
  addedById,
  title: keyName,
}: OwnedKey): SshIdentity {
  if (accountId === null) return { kind: 'deploy-key', keyId, ownerId, addedById, keyName };
  return { kind: 'account', accountId, keyName, by: { kind: 'ssh-key', keyId } };
}

function readOrDeny(blob: Buffer): Certificate | undefined {
  try {
    return readCertificate(blob);
  } catch (error) {
    if (error instanceof MalformedKeyError) return undefined;
    throw error;
  }
}
