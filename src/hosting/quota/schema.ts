import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

const Subjects = Type.Array(Type.String(), { description: 'such as `size:all` or `size:git:lfs`' });
const Limit = Type.Integer({ description: 'bytes; -1 for no limit' });

export const CreateRuleBody = Type.Object(
  { name: Type.String(), limit: Type.Optional(Limit), subjects: Subjects },
  { $id: 'CreateQuotaRuleOptions' },
);

export const EditRuleBody = Type.Object(
  { limit: Type.Optional(Limit), subjects: Type.Optional(Subjects) },
  { $id: 'EditQuotaRuleOptions' },
);

export const CreateGroupBody = Type.Object(
  {
    name: Type.String(),
    rules: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          limit: Type.Optional(Limit),
          subjects: Type.Optional(Subjects),
        }),
        { description: 'those that do not exist are created' },
      ),
    ),
  },
  { $id: 'CreateQuotaGroupOptions' },
);

export const SetGroupsBody = Type.Object(
  { groups: Type.Array(Type.String()) },
  { $id: 'SetUserQuotaGroupsOptions' },
);

export const RuleSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'only for site administrators' })),
    limit: Limit,
    subjects: Subjects,
  },
  { $id: 'QuotaRuleInfo' },
);

export const GroupSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'only for site administrators' })),
    rules: Type.Array(reference(RuleSchema)),
  },
  { $id: 'QuotaGroup' },
);

const Bytes = Type.Integer({ description: 'bytes' });

const AttachmentSizes = Type.Object(
  { issues: Bytes, releases: Bytes },
  { $id: 'QuotaUsedSizeAssetsAttachments' },
);
const PackageSizes = Type.Object({ all: Bytes }, { $id: 'QuotaUsedSizeAssetsPackages' });
const AssetSizes = Type.Object(
  {
    artifacts: Bytes,
    attachments: reference(AttachmentSizes),
    packages: reference(PackageSizes),
    wiki: Type.Integer({ description: 'bytes of all wikis', 'x-quire': true }),
  },
  { $id: 'QuotaUsedSizeAssets' },
);
const GitSizes = Type.Object({ LFS: Bytes }, { $id: 'QuotaUsedSizeGit' });
const RepositorySizes = Type.Object({ public: Bytes, private: Bytes }, { $id: 'QuotaUsedSizeRepos' });
const Sizes = Type.Object(
  { repos: reference(RepositorySizes), git: reference(GitSizes), assets: reference(AssetSizes) },
  { $id: 'QuotaUsedSize' },
);
const UsedSchema = Type.Object({ size: reference(Sizes) }, { $id: 'QuotaUsed' });

export const QuotaSchema = Type.Object(
  { used: reference(UsedSchema), groups: Type.Array(reference(GroupSchema)) },
  { $id: 'QuotaInfo' },
);

export const UsedAttachmentSchema = Type.Object(
  {
    name: Type.String(),
    size: Bytes,
    api_url: Type.String(),
    contained_in: Type.Object({ api_url: Type.String(), html_url: Type.String() }),
  },
  { $id: 'QuotaUsedAttachment' },
);

export const UsedArtifactSchema = Type.Object(
  { name: Type.String(), size: Bytes, html_url: Type.String() },
  { $id: 'QuotaUsedArtifact' },
);

export const UsedPackageSchema = Type.Object(
  {
    name: Type.String(),
    type: Type.String(),
    version: Type.String(),
    size: Bytes,
    html_url: Type.String(),
  },
  { $id: 'QuotaUsedPackage' },
);
