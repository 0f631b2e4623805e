import { isDeepStrictEqual } from 'node:util';
import type { RepositoryId } from '../../git/interface/snapshot.ts';

export type ProtectedKind = 'branch' | 'tag';

/** What the users and teams of a list may do. */
export type ListPurpose = 'push' | 'force-push' | 'merge' | 'approve';
export const LIST_PURPOSES: readonly ListPurpose[] = ['push', 'force-push', 'merge', 'approve'];

/** Settings that pushes do not depend on. Pull requests and clients read them. */
export interface StoredSettings {
  readonly pushDeployKeys: boolean;
  readonly forcePushDeployKeys: boolean;
  readonly hasStatusCheck: boolean;
  readonly statusContexts: readonly string[];
  readonly limitsApprovals: boolean;
  readonly requiredApprovals: number;
  readonly blocksOnRejectedReviews: boolean;
  readonly blocksOnReviewRequests: boolean;
  readonly blocksOnOutdatedBranch: boolean;
  readonly dismissesStaleApprovals: boolean;
  readonly ignoresStaleApprovals: boolean;
  readonly appliesToAdmins: boolean;
}

/** Fields of a protection that a request can set. */
export interface ProtectionFields {
  /** name of a branch or tag, or a glob */
  readonly pattern: string;
  /** whether anyone may push at all */
  readonly allowsPush: boolean;
  /** only the list with the purpose `push` may push */
  readonly limitsPush: boolean;
  /** whether those who may push may also do so by force */
  readonly allowsForcePush: boolean;
  /** of those, only the list with the purpose `force-push` may */
  readonly limitsForcePush: boolean;
  readonly limitsMerge: boolean;
  readonly requiresSignatures: boolean;
  /** globs with semicolons between them */
  readonly protectedFiles: string;
  readonly unprotectedFiles: string;
  readonly settings: StoredSettings;
}

/** A rule about branches or tags whose names match its pattern. */
export interface Protection extends ProtectionFields {
  readonly id: number;
  readonly repositoryId: RepositoryId;
  readonly kind: ProtectedKind;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A protection, and whether its lists have the viewer. */
export interface ProtectionForViewer extends Protection {
  readonly isPushListed: boolean;
  readonly isForcePushListed: boolean;
  readonly isMergeListed: boolean;
}

/** Names of users and teams. */
interface NameList {
  readonly accounts: readonly string[];
  readonly teams: readonly string[];
}

export type NameLists = Readonly<Record<ListPurpose, NameList>>;

export interface ListedProtection extends Protection {
  readonly lists: NameLists;
}

/** A change of a protection. Absent fields stay unchanged, or have the default in a new one. */
export interface ProtectionEdit extends Partial<Omit<ProtectionFields, 'settings'>> {
  readonly settings: Partial<StoredSettings>;
  readonly lists: Readonly<Partial<Record<ListPurpose, Partial<NameList>>>>;
}

export const NEW_SETTINGS: StoredSettings = {
  pushDeployKeys: false,
  forcePushDeployKeys: false,
  hasStatusCheck: false,
  statusContexts: [],
  limitsApprovals: false,
  requiredApprovals: 0,
  blocksOnRejectedReviews: false,
  blocksOnReviewRequests: false,
  blocksOnOutdatedBranch: false,
  dismissesStaleApprovals: false,
  ignoresStaleApprovals: false,
  appliesToAdmins: false,
};

/** A new protection before the request's own fields: a branch takes no pushes, and only listed users make a tag. */
export const NEW_FIELDS: Readonly<Record<ProtectedKind, Omit<ProtectionFields, 'pattern'>>> = {
  branch: newFields({ allowsPush: false, limitsPush: false }),
  tag: newFields({ allowsPush: true, limitsPush: true }),
};

function newFields(push: Pick<ProtectionFields, 'allowsPush' | 'limitsPush'>) {
  return {
    ...push,
    allowsForcePush: false,
    limitsForcePush: false,
    limitsMerge: false,
    requiresSignatures: false,
    protectedFiles: '',
    unprotectedFiles: '',
    settings: NEW_SETTINGS,
  };
}

/** Returns the fields after an edit. Without pushes there is no list of those who may push, also by force. */
export function fieldsAfter(
  before: ProtectionFields,
  { lists: _lists, settings, ...edit }: ProtectionEdit,
): ProtectionFields {
  const after = { ...before, ...withoutUndefined(edit) };
  const limitsPush = after.allowsPush && after.limitsPush;
  const limitsForcePush = after.allowsForcePush && after.limitsForcePush;
  const all = { ...before.settings, ...withoutUndefined(settings) };
  const pushDeployKeys = limitsPush && all.pushDeployKeys;
  const forcePushDeployKeys = limitsForcePush && all.forcePushDeployKeys;
  return {
    ...after,
    limitsPush,
    limitsForcePush,
    settings: { ...all, pushDeployKeys, forcePushDeployKeys },
  };
}

function withoutUndefined<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

/** Whether the viewer of a protection may push. Write access to the code is needed in addition. */
export function mayPush(rule: ProtectionForViewer): boolean {
  return rule.allowsPush && (!rule.limitsPush || rule.isPushListed);
}

/** Whether the viewer may replace the commits of a branch. Write access to the code is needed in addition. */
export function mayForcePush(rule: ProtectionForViewer): boolean {
  return mayPush(rule) && rule.allowsForcePush && (!rule.limitsForcePush || rule.isForcePushListed);
}

/** Whether the viewer may merge pull requests. Write access to the code is needed in addition. */
export function mayMerge(rule: ProtectionForViewer): boolean {
  return !rule.limitsMerge || rule.isMergeListed;
}

type FlatFields = Omit<ProtectionFields, 'settings'> & StoredSettings;

/** Fields of a protection, with its settings among them. Each has a bounded size. */
export const PROTECTION_FIELDS = [
  'pattern',
  'allowsPush',
  'limitsPush',
  'allowsForcePush',
  'limitsForcePush',
  'limitsMerge',
  'requiresSignatures',
  'protectedFiles',
  'unprotectedFiles',
  'pushDeployKeys',
  'forcePushDeployKeys',
  'hasStatusCheck',
  'statusContexts',
  'limitsApprovals',
  'requiredApprovals',
  'blocksOnRejectedReviews',
  'blocksOnReviewRequests',
  'blocksOnOutdatedBranch',
  'dismissesStaleApprovals',
  'ignoresStaleApprovals',
  'appliesToAdmins',
] as const satisfies readonly (keyof FlatFields)[];

export function flatFields({ settings, ...fields }: ProtectionFields): FlatFields {
  return { ...fields, ...settings };
}

/** Returns the names of the fields in which two states of a protection differ. */
export function changedFields(before: ProtectionFields, after: ProtectionFields): readonly string[] {
  const [one, other] = [flatFields(before), flatFields(after)];
  return PROTECTION_FIELDS.filter((name) => !isDeepStrictEqual(one[name], other[name]));
}
