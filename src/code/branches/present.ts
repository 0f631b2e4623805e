import type { Static } from 'typebox';
import { answerOf } from '../../api/operations/answers.ts';
import type { Signature } from '../../git/format/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses } from '../../http/app.ts';
import { wireTime } from '../../http/time.ts';
import { presentVerification } from '../verification/present.ts';
import type { Branch } from './model.ts';
import { BranchSchema } from './schema.ts';

export function presentBranch(branch: Branch, addresses: Addresses): Static<typeof BranchSchema> {
  const { name, protection, rights } = branch;
  return {
    name,
    commit: presentTip(branch, addresses),
    protected: protection !== undefined,
    required_approvals: protection?.settings.requiredApprovals ?? 0,
    enable_status_check: protection?.settings.hasStatusCheck ?? false,
    status_check_contexts: [...(protection?.settings.statusContexts ?? [])],
    user_can_push: rights.mayPush,
    user_can_merge: rights.mayMerge,
    effective_branch_protection_name: rights.seesProtections ? (protection?.pattern ?? '') : '',
  };
}

function presentTip({ repository, commit, userNames, verification }: Branch, addresses: Addresses) {
  const { htmlUrl } = repositoryAddresses(repository, addresses);
  const person = ({ name, email }: Signature) => {
    const username = userNames.get(email.toLowerCase()) ?? '';
    return { name, email, username };
  };
  return {
    id: commit.oid,
    message: commit.message,
    url: `${htmlUrl}/commit/${commit.oid}`,
    author: person(commit.author),
    committer: person(commit.committer),
    verification: presentVerification(verification),
    timestamp: wireTime(commit.author.seconds * 1000),
    added: null,
    removed: null,
    modified: null,
  };
}

export const BranchAnswer = answerOf(BranchSchema, (branch: Branch, _viewer, addresses) =>
  presentBranch(branch, addresses),
);
