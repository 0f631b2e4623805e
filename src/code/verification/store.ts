import { accountVisible } from '../../api/access/store/account.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import type { Db } from '../../base/database/database.ts';
import { fragment, joined, values } from '../../base/database/fragment.ts';
import { query } from '../../base/database/query.ts';

/** A key whose signature may count for an account. */
export interface SignerRow {
  readonly kind: 'ssh' | 'openpgp';
  /** of the row of the SSH key or the primary OpenPGP key */
  readonly id: number;
  /** as signatures name it: a fingerprint (SSH), 16 hex digits (OpenPGP) */
  readonly key_name: string;
  readonly is_proved: number;
  /** an address of the OpenPGP key, among those asked for; the row repeats for each */
  readonly key_email: string | null;
  readonly account_id: number;
  readonly name: string;
  readonly lower_email: string | null;
  readonly is_visible: number;
}

/** Names in signatures, and the accounts that may have made them. None of the lists may be too long for a statement. */
export interface SignerQuery {
  readonly fingerprints: readonly string[];
  readonly keyIds: readonly string[];
  /** in lower case */
  readonly emails: readonly string[];
  /** in lower case */
  readonly names: readonly string[];
}

/** Lists the keys with these names whose users have one of the addresses or names, in one statement. */
export async function listSigners(
  db: Db,
  viewer: Viewer,
  { fingerprints, keyIds, emails, names }: SignerQuery,
): Promise<readonly SignerRow[]> {
  if (emails.length === 0) return [];
  const account = fragment`o.id as account_id, o.name, o.lower_email, ${accountVisible(viewer)} as is_visible`;
  const isWanted = fragment`(o.lower_email in (${values(emails)}) or o.lower_name in (${values(names)}))`;
  const ssh = fragment`select 'ssh' as kind, k.id, k.fingerprint as key_name, 0 as is_proved,
      cast(null as text) as key_email, ${account}
    from ssh_keys k join accounts o on o.id = k.account_id
    where k.fingerprint in (${values(fingerprints)}) and ${isWanted}`;
  const openPgp = fragment`select 'openpgp' as kind, p.id, k.key_id as key_name, p.is_proved,
      e.lower_email as key_email, ${account}
    from openpgp_keys k join openpgp_keys p on p.id = coalesce(k.primary_id, k.id)
    join accounts o on o.id = k.account_id
    left join openpgp_key_emails e on e.key_id = p.id and e.lower_email in (${values(emails)})
    where k.key_id in (${values(keyIds)}) and ${isWanted}`;
  const parts = [...(fingerprints.length > 0 ? [ssh] : []), ...(keyIds.length > 0 ? [openPgp] : [])];
  if (parts.length === 0) return [];
  return query<SignerRow>(db, fragment`${joined(parts, ' union all ')} order by 2, 5`);
}

/** Returns whole OpenPGP keys in their binary form, by the id of their row. */
export async function findCertificates(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: number; content: string }>(
    db,
    fragment`select k.id, k.content from openpgp_keys k where k.id in (${values(ids)})`,
  );
  return new Map(rows.map(({ id, content }) => [id, Buffer.from(content, 'base64')]));
}
