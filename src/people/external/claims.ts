import { ForgeError, forbidden } from '../../base/core/failure.ts';
import { isPlainLine, withoutControls, withoutUnseen } from '../../base/core/text/text.ts';
import { ACCOUNT_LIMITS } from '../accounts/limits.ts';
import { requireEmail } from '../accounts/profile.ts';
import { EXTERNAL_LIMITS } from './limits.ts';
import type { ExternalUser, ProviderSettings } from './model.ts';

/** What a provider says about a user: of the verified ID token, before the claims of other responses. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * Reads the claims of a user.
 *
 * @param claims `iss` and `sub` are those of the verified ID token
 * @throws ForgeError `forbidden` for claims that are too large or malformed
 * @see OpenID Connect Core 1.0, section 5.1
 */
export function readClaims(claims: Claims, settings: ProviderSettings): ExternalUser {
  const { iss, sub, email } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || !isPlainLine(sub))
    throw unusable('it does not say who you are');
  if (sub.length > EXTERNAL_LIMITS.subjectCharsMax) throw unusable('the claim sub is too long');
  const mentioned = new Set([
    ...settings.requiredGroups,
    ...settings.groupTeams.map(({ group }) => group),
    settings.adminGroup,
  ]);
  const groups = groupsIn(claims, settings.groupsClaim);
  return {
    issuer: iss,
    subject: sub,
    name: lineOf(claims[settings.nameClaim]),
    fullName: lineOf(claims.name),
    // Anything but true leaves it open whether the address belongs to the user.
    email: claims.email_verified === true ? emailOf(email) : '',
    groups: [...new Set(groups)].filter((group) => mentioned.has(group)),
  };
}

/**
 * Reads the groups of a user. A user without the claim is in no group: otherwise a provider that omits an empty list would
 * leave the user in all teams.
 *
 * @throws ForgeError `forbidden`
 */
function groupsIn(claims: Claims, name: string): readonly string[] {
  const elsewhere = claims._claim_names;
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name))
    throw unusable(`it does not send the claim ${name}, only a reference to it`);
  const sent = claims[name] ?? [];
  const groups: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  if (groups.length > EXTERNAL_LIMITS.providerGroupsMax)
    throw unusable(`the claim ${name} has more than ${EXTERNAL_LIMITS.providerGroupsMax} groups`);
  return groups.map((group) => {
    if (typeof group !== 'string' || group.length > EXTERNAL_LIMITS.groupCharsMax)
      throw unusable(`the claim ${name} must have names of groups`);
    return group;
  });
}

/** Returns one line that can be shown; '' for anything else than a text. */
function lineOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  const line = withoutUnseen(withoutControls(value.slice(0, ACCOUNT_LIMITS.profileFieldCharsMax))).trim();
  return line;
}

function emailOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  try {
    requireEmail(value);
    return value;
  } catch (error) {
    if (error instanceof ForgeError) return '';
    throw error;
  }
}

function unusable(why: string): ForgeError {
  return forbidden(`the answer of the provider cannot be used: ${why}`);
}
