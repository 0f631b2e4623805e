import { Type } from 'typebox';
import type { SignedIn } from '../../api/access/viewer.ts';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { QUOTA } from './actions.ts';
import { QuotaAnswer, UsedAttachmentAnswer } from './present.ts';
import { UsedArtifactSchema, UsedPackageSchema } from './schema.ts';
import type { QuotaUsage } from './usage.ts';

interface Dependencies {
  readonly quotaUsage: QuotaUsage;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const SubjectQuery = { subject: Type.Optional(Type.String()) };
const WithinAnswer = asIs(Type.Boolean());
const ArtifactAnswer = asIs(UsedArtifactSchema);
const PackageAnswer = asIs(UsedPackageSchema);

/** The server has no artifacts and no packages. */
const NOTHING = { items: [], total: 0 };

/** What the viewer or an organization has stored, and which limits apply. */
export function quotaRoutes(app: App, dependencies: Dependencies): void {
  ownRoutes(app, dependencies);
  organizationRoutes(app, dependencies);
}

function ownRoutes(app: App, { quotaUsage, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  api.get('/user/quota', QUOTA.readOwn, {
    id: 'userGetQuota',
    summary: 'Get what you have stored, and your limits',
    answer: QuotaAnswer,
    handle: ({ viewer }) => quotaUsage.get(viewer.accountId),
  });

  api.get('/user/quota/check', QUOTA.readOwn, {
    id: 'userCheckQuota',
    summary: 'Check whether you may store more of what a subject covers',
    failures: ['invalid'],
    query: SubjectQuery,
    answer: WithinAnswer,
    handle: ({ viewer, query }) => quotaUsage.check(viewer.accountId, query.subject),
  });

  api.list('/user/quota/attachments', QUOTA.readOwn, {
    id: 'userListQuotaAttachments',
    summary: 'List the attachments that count for you',
    answer: UsedAttachmentAnswer,
    handle: ({ viewer, paging }) => quotaUsage.listAttachments(viewer.accountId, paging),
  });

  api.list('/user/quota/artifacts', QUOTA.readOwn, {
    id: 'userListQuotaArtifacts',
    summary: 'List the artifacts that count for you: none, because the server has none',
    answer: ArtifactAnswer,
    handle: async () => NOTHING,
  });

  api.list('/user/quota/packages', QUOTA.readOwn, {
    id: 'userListQuotaPackages',
    summary: 'List the packages that count for you: none, because the server has none',
    answer: PackageAnswer,
    handle: async () => NOTHING,
  });
}

function organizationRoutes(app: App, { quotaUsage, organizations, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });
  const idOf = async (viewer: SignedIn, name: string) =>
    (await organizations.get(viewer, name, QUOTA.readOfOrganization)).organization.id;

  api.get('/orgs/:org/quota', QUOTA.readOfOrganization, {
    id: 'orgGetQuota',
    summary: 'Get what an organization has stored, and its limits, as an owner',
    answer: QuotaAnswer,
    handle: async ({ viewer, params }) => quotaUsage.get(await idOf(viewer, params.org)),
  });

  api.get('/orgs/:org/quota/check', QUOTA.readOfOrganization, {
    id: 'orgCheckQuota',
    summary: 'Check whether an organization may store more of what a subject covers, as an owner',
    failures: ['invalid'],
    query: SubjectQuery,
    answer: WithinAnswer,
    handle: async ({ viewer, params, query }) =>
      quotaUsage.check(await idOf(viewer, params.org), query.subject),
  });

  api.list('/orgs/:org/quota/attachments', QUOTA.readOfOrganization, {
    id: 'orgListQuotaAttachments',
    summary: 'List the attachments that count for an organization, as an owner',
    answer: UsedAttachmentAnswer,
    handle: async ({ viewer, params, paging }) =>
      quotaUsage.listAttachments(await idOf(viewer, params.org), paging),
  });

  api.list('/orgs/:org/quota/artifacts', QUOTA.readOfOrganization, {
    id: 'orgListQuotaArtifacts',
    summary: 'List the artifacts that count for an organization: none, because the server has none',
    answer: ArtifactAnswer,
    async handle({ viewer, params }) {
      await idOf(viewer, params.org);
      return NOTHING;
    },
  });

  api.list('/orgs/:org/quota/packages', QUOTA.readOfOrganization, {
    id: 'orgListQuotaPackages',
    summary: 'List the packages that count for an organization: none, because the server has none',
    answer: PackageAnswer,
    async handle({ viewer, params }) {
      await idOf(viewer, params.org);
      return NOTHING;
    },
  });
}
