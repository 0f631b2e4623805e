import type { Static } from 'typebox';
import { isSignedIn, type Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import type { CountedFile, QuotaGroup, QuotaRule, UsedBytes } from './model.ts';
import { GroupSchema, QuotaSchema, RuleSchema, UsedAttachmentSchema } from './schema.ts';

/** What an owner has stored, and which limits apply. */
export interface OwnerQuota {
  readonly used: UsedBytes;
  readonly groups: readonly QuotaGroup[];
}

export const RuleAnswer = answerOf(RuleSchema, presentRule);
export const GroupAnswer = answerOf(GroupSchema, presentGroup);

export const QuotaAnswer = answerOf(QuotaSchema, ({ used, groups }: OwnerQuota, viewer) => ({
  used: {
    size: {
      repos: { public: used['size:repos:public'], private: used['size:repos:private'] },
      git: { LFS: used['size:git:lfs'] },
      assets: {
        artifacts: used['size:assets:artifacts'],
        attachments: {
          issues: used['size:assets:attachments:issues'],
          releases: used['size:assets:attachments:releases'],
        },
        packages: { all: used['size:assets:packages:all'] },
        wiki: used['size:assets:wiki'],
      },
    },
  },
  groups: groups.map((group) => presentGroup(group, viewer)),
}));

export const UsedAttachmentAnswer = answerOf(
  UsedAttachmentSchema,
  ({ name, sizeBytes, apiPath, containedIn }: CountedFile, _viewer, { baseUrl, apiRoot }) => ({
    name,
    size: sizeBytes,
    api_url: `${apiRoot}${apiPath}`,
    contained_in: {
      api_url: `${apiRoot}${containedIn.apiPath}`,
      html_url: `${baseUrl}${containedIn.pagePath}`,
    },
  }),
);

function presentRule({ name, bytesMax, subjects }: QuotaRule, viewer: Viewer): Static<typeof RuleSchema> {
  return { ...(seesNames(viewer) ? { name } : {}), limit: bytesMax, subjects: [...subjects] };
}

function presentGroup({ name, rules }: QuotaGroup, viewer: Viewer): Static<typeof GroupSchema> {
  return {
    ...(seesNames(viewer) ? { name } : {}),
    rules: rules.map((rule) => presentRule(rule, viewer)),
  };
}

function seesNames(viewer: Viewer): boolean {
  return isSignedIn(viewer) && viewer.isAdmin;
}
