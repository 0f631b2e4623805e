import { ANONYMOUS, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError } from '../../base/core/failure.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Db } from '../../base/database/database.ts';
import type { CommitSignature } from '../../git/format/model.ts';
import type { Addresses } from '../../http/app.ts';
import { noreplyAddress } from '../../people/accounts/present.ts';
import { MalformedKeyError } from '../keys/byte-reader.ts';
import { decodeArmor } from '../keys/openpgp/armor.ts';
import type { OpenPgpEngine } from '../keys/openpgp/engine.ts';
import { readSignatureFacts, type SignatureFacts } from '../keys/openpgp/signature-packet.ts';
import { isValidSshSignature, parseSshSignature, type SshSignature } from '../keys/ssh/signature.ts';
import { signatureDigest } from '../signing/digest.ts';
import type { CommitSigning } from '../signing/service.ts';
import { VERIFICATION_LIMITS } from './limits.ts';
import { NOT_SIGNED, REASONS, type Signed, type Signer, unverified, type Verification } from './model.ts';
import { findCertificates, listSigners, type SignerQuery, type SignerRow } from './store.ts';

/** A signature in its parts. `name` is that of its key. */
type ReadSignature = { readonly name: string; readonly of: CommitSignature } & (
  | { readonly kind: 'ssh'; readonly ssh: SshSignature }
  | { readonly kind: 'openpgp'; readonly bytes: Buffer; readonly facts: SignatureFacts }
);

const SERVER_KEY = 'server';

/** A key that may have made a signature. */
interface Candidate {
  /** `SERVER_KEY`, or the id of the row of a user's key */
  readonly id: number | typeof SERVER_KEY;
  /** whom a valid signature by the key names */
  readonly signer: Signer;
  /** the whole key; undefined for a key whose row has it */
  readonly content: Buffer | undefined;
}

/**
 * A signature, and the keys that may have made it: the key of this server that it names, or else the keys with its name
 * whose users have the address of the committer or tagger.
 */
interface Candidates {
  readonly signed: Signed;
  /** undefined: in no form that is known */
  readonly signature: ReadSignature | undefined;
  /** `signatureDigest`; '' if there are no keys */
  readonly digest: string;
  readonly keys: readonly Candidate[];
}

/** Verifications that decide about a push, and the keys that they depend on. */
export interface Examined {
  readonly verifications: readonly Verification[];
  readonly asked: SignerQuery;
  readonly found: readonly SignerRow[];
}

interface Dependencies {
  readonly database: Database;
  readonly openPgp: OpenPgpEngine;
  readonly addresses: Addresses;
  readonly signing: CommitSigning;
}

/**
 * Verifies signatures of commits and tags with the keys of users and of this server. A signature by a user counts if the
 * key and the committer's or tagger's e-mail address belong to the same user. One by this server always counts, because
 * it signs only what it knows to be by the committer.
 */
export class SignatureVerifier {
  readonly #use: Dependencies;
  /** whether keys made signatures, by a digest of both */
  readonly #known = createSizedCache<string, Validity>({
    sizeMax: VERIFICATION_LIMITS.signaturesRememberedMax,
    sizeOf: () => 1,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Verifies the signatures of one response, in order. Keys of users that the viewer may not see are unknown.
   *
   * @throws ForgeError `busy`
   */
  async verify(viewer: Viewer, signed: readonly Signed[]): Promise<readonly Verification[]> {
    const read = signed.map(({ signature }) => readSignature(signature));
    const rows = await listSigners(this.#use.database.reader, viewer, signersOf(signed, read));
    const visible = rows.filter((row) => row.is_visible === 1);
    return this.#decide(this.#candidates(signed, read, visible));
  }

  /** @throws ForgeError `busy` */
  async verifyOne(viewer: Viewer, signed: Signed): Promise<Verification> {
    const [verification = NOT_SIGNED] = await this.verify(viewer, [signed]);
    return verification;
  }

  /**
   * Verifies the signatures of a push, which count for everyone.
   *
   * @throws ForgeError `busy`, also if a signature could not be checked in time
   */
  async examine(signed: readonly Signed[]): Promise<Examined> {
    const read = signed.map(({ signature }) => readSignature(signature));
    const asked = signersOf(signed, read);
    const found = await listSigners(this.#use.database.reader, ANONYMOUS, asked);
    const verifications = await this.#decide(this.#candidates(signed, read, found));
    if (verifications.some(({ reason }) => reason === REASONS.unavailable)) {
      const what = 'a signature could not be checked in time: try again';
      const retryAfterSeconds = Math.ceil(VERIFICATION_LIMITS.slowSignatureRememberedMs / 1000);
      throw new ForgeError({ kind: 'busy', what, retryAfterSeconds });
    }
    return { verifications, asked, found };
  }

  /** Whether all keys that were found are still there, with the same users and addresses. */
  async stillHold(db: Db, examined: readonly Examined[]): Promise<boolean> {
    const all = <T>(part: (asked: SignerQuery) => readonly T[]) =>
      unique(examined.flatMap(({ asked }) => part(asked)));
    const now = await listSigners(db, ANONYMOUS, {
      fingerprints: all(({ fingerprints }) => fingerprints),
      keyIds: all(({ keyIds }) => keyIds),
      emails: all(({ emails }) => emails),
      names: all(({ names }) => names),
    });
    const known = new Set(now.map((row) => JSON.stringify(row)));
    return examined.every(({ found }) => found.every((row) => known.has(JSON.stringify(row))));
  }

  #candidates(
    signed: readonly Signed[],
    read: readonly (ReadSignature | undefined)[],
    rows: readonly SignerRow[],
  ): readonly Candidates[] {
    return signed.map((each, index) => {
      const signature = read[index];
      const keys = signature === undefined ? [] : this.#keysNamed(signature, each.email, rows);
      // Most signatures are by strangers, and are not hashed.
      const digest = signature === undefined || keys.length === 0 ? '' : signatureDigest(signature.of);
      return { signed: each, signature, digest, keys };
    });
  }

  /** Returns the keys that a signature may be by. @param email of the committer or tagger */
  #keysNamed({ kind, name }: ReadSignature, email: string, rows: readonly SignerRow[]): readonly Candidate[] {
    const { signing } = this.#use;
    const serverKey = signing.keyNamed(kind, name);
    if (serverKey !== undefined) {
      const signer = { ...signing.keys.signer, username: '' };
      return [{ id: SERVER_KEY, signer, content: serverKey.content }];
    }
    const lowerEmail = email.toLowerCase();
    const matching = rows.filter(
      (row) => row.kind === kind && row.key_name === name && this.#isFor(row, lowerEmail),
    );
    return [...new Map(matching.map((row) => [row.id, row])).values()]
      .slice(0, VERIFICATION_LIMITS.keysTriedPerSignatureMax)
      .map((row) => ({
        id: row.id,
        signer: { name: row.name, email, username: row.name },
        content: undefined,
      }));
  }

  /** Whether a key counts for an e-mail address. An OpenPGP key must name it, unless its user has proved to possess it. */
  #isFor(row: SignerRow, email: string): boolean {
    if (row.lower_email !== email && noreplyAddress(row, this.#use.addresses) !== email) return false;
    return row.kind === 'ssh' || row.is_proved === 1 || row.key_email === email;
  }

  async #decide(candidates: readonly Candidates[]): Promise<readonly Verification[]> {
    const certificates = await this.#certificatesFor(candidates);
    const verifications: Verification[] = [];
    // One after the other, so that a caller holds one thread at most.
    for (const each of candidates) verifications.push(await this.#decideOne(each, certificates));
    return verifications;
  }

  /** Reads the OpenPGP keys of signatures that are not known yet. */
  #certificatesFor(candidates: readonly Candidates[]): Promise<ReadonlyMap<number, Buffer>> {
    const ids = candidates.flatMap(({ signature, digest, keys }) =>
      signature?.kind === 'openpgp'
        ? keys
            .map(({ id }) => id)
            .filter((id) => id !== SERVER_KEY)
            .filter((id) => !this.#known.has(cacheKey(signature.kind, id, digest)))
        : [],
    );
    return findCertificates(this.#use.database.reader, unique(ids));
  }

  async #decideOne(
    { signed, signature, digest, keys }: Candidates,
    certificates: ReadonlyMap<number, Buffer>,
  ): Promise<Verification> {
    if (signed.signature === null) return NOT_SIGNED;
    if (signature === undefined) return unverified(signed.signature, REASONS.unreadable);
    let isUnavailable = false;
    for (const key of keys) {
      const validity = await this.#isMadeBy(signature, digest, key, certificates);
      if (validity === 'unavailable') isUnavailable = true;
      if (validity === true) {
        const reason = `${key.signer.name} / ${signature.name}`;
        return { isVerified: true, reason, signature: signed.signature, signer: key.signer };
      }
    }
    if (isUnavailable) return unverified(signed.signature, REASONS.unavailable);
    return unverified(signed.signature, keys.length === 0 ? REASONS.unknownKey : REASONS.badSignature);
  }

  async #isMadeBy(
    signature: ReadSignature,
    digest: string,
    { id, content }: Candidate,
    certificates: ReadonlyMap<Candidate['id'], Buffer>,
  ): Promise<Validity> {
    if (id === SERVER_KEY && this.#use.signing.hasMade(digest)) return true;
    if (signature.kind === 'openpgp' && !isCurrent(signature.facts, currentTimeMs())) return false;
    const cached = cacheKey(signature.kind, id, digest);
    const known = this.#known.get(cached);
    if (known !== undefined) return known;
    const { payload } = signature.of;
    if (signature.kind === 'ssh')
      return this.#remember(cached, await isValidSshSignature(signature.ssh, payload));
    const key = content ?? certificates.get(id);
    if (key === undefined) return false;
    const isValid = await this.#use.openPgp.isValid({ key, signature: signature.bytes, payload });
    if (isValid !== undefined) return this.#remember(cached, isValid);
    // Perhaps the server was only busy. The next readers wait a moment, so that a slow signature does not hold the thread.
    this.#known.set(cached, 'unavailable', { ttl: VERIFICATION_LIMITS.slowSignatureRememberedMs });
    return 'unavailable';
  }

  #remember(key: string, isValid: boolean): boolean {
    this.#known.set(key, isValid);
    return isValid;
  }
}

/** Whether a key has made a signature, if that could be checked in time. */
type Validity = boolean | 'unavailable';

/** @returns undefined for a signature in another form, of another purpose, or too large */
function readSignature(signature: CommitSignature | null): ReadSignature | undefined {
  if (signature === null || signature.payload.length > VERIFICATION_LIMITS.signedBytesMax) return undefined;
  try {
    return signature.text.startsWith('-----BEGIN SSH') ? readSsh(signature) : readOpenPgp(signature);
  } catch (error) {
    if (error instanceof MalformedKeyError) return undefined;
    throw error;
  }
}

function readSsh(of: CommitSignature): ReadSignature {
  const ssh = parseSshSignature(of.text);
  return { kind: 'ssh', name: ssh.fingerprint, of, ssh };
}

function readOpenPgp(of: CommitSignature): ReadSignature | undefined {
  const bytes = decodeArmor(of.text, 'PGP SIGNATURE');
  if (bytes === undefined) return undefined;
  const facts = readSignatureFacts(bytes);
  return { kind: 'openpgp', name: facts.keyId, of, bytes, facts };
}

/** Returns which keys and users may have made the signatures. */
function signersOf(signed: readonly Signed[], read: readonly (ReadSignature | undefined)[]): SignerQuery {
  const wanted = signed.filter(({ email }, index) => read[index] !== undefined && isPlainLine(email));
  const namesOf = (kind: ReadSignature['kind']) =>
    unique(read.filter((each) => each?.kind === kind).map((each) => each?.name ?? ''));
  const emails = unique(wanted.map(({ email }) => email.toLowerCase()).filter((email) => email !== ''));
  const names = unique(emails.map((email) => email.slice(0, Math.max(email.lastIndexOf('@'), 0))));
  return { fingerprints: namesOf('ssh'), keyIds: namesOf('openpgp'), emails, names };
}

/** Whether a signature is neither from the future nor expired. */
function isCurrent({ createdAt, expiresAt }: SignatureFacts, nowMs: number): boolean {
  return createdAt <= nowMs && (expiresAt === null || nowMs < expiresAt);
}

/** A key with another content has another id, so an answer holds for as long as the key is there. */
function cacheKey(kind: ReadSignature['kind'], id: Candidate['id'], digest: string): string {
  return `${kind} ${id} ${digest}`;
}

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}
