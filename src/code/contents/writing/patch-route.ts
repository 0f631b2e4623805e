import { asIs } from '../../../api/operations/answers.ts';
import { operationsOn } from '../../../api/operations/operations.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { presentVerification } from '../../verification/present.ts';
import { CONTENTS } from '../actions.ts';
import { CONTENTS_LIMITS } from '../limits.ts';
import { changeOptionsOf, patchOf } from '../options.ts';
import { presentCommit } from '../present.ts';
import { FileDeleteResponse, PatchBody } from '../schema.ts';
import { currentRequired } from './entity-tags.ts';
import type { ContentsWriter } from './write.ts';

/** A patch changes any number of files, so the answer has the content of none. */
const PatchAnswer = asIs(FileDeleteResponse);

export function patchRoute(app: App, dependencies: { writing: ContentsWriter; addresses: Addresses }): void {
  const { writing, addresses } = dependencies;

  operationsOn(app, { tag: 'repository', addresses }).post('/repos/:owner/:repo/diffpatch', CONTENTS.write, {
    id: 'repoApplyDiffPatch',
    summary: 'Apply a patch as one commit',
    failures: ['archived', 'precondition_failed'],
    options: { bodyLimit: CONTENTS_LIMITS.patchBodyBytesMax },
    body: PatchBody,
    answer: PatchAnswer,
    begin: ({ viewer, path }) => writing.find(viewer, path),
    async handle({ viewer, body, begun: target, request }) {
      const options = changeOptionsOf(body);
      const { repository } = target;
      const branch = options.branch ?? repository.defaultBranch;
      const requireCurrent = currentRequired(request, { repository, branch, addresses, change: undefined });
      const patch = patchOf(body);
      const { commit, place, verification } = await writing.applyPatch(viewer, {
        ...target,
        patch,
        options,
        requireCurrent,
      });
      return {
        content: null,
        commit: presentCommit(commit, place, addresses),
        verification: presentVerification(verification),
      };
    },
  });
}
