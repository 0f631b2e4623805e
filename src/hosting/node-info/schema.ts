import { Type } from 'typebox';
import { asIs } from '../../api/operations/answers.ts';
import { reference } from '../../http/shapes.ts';

const SoftwareSchema = Type.Object(
  { name: Type.String(), version: Type.String(), repository: Type.String(), homepage: Type.String() },
  { $id: 'NodeInfoSoftware' },
);

const ServicesSchema = Type.Object(
  { inbound: Type.Array(Type.String()), outbound: Type.Array(Type.String()) },
  { $id: 'NodeInfoServices' },
);

const UsersSchema = Type.Object(
  {
    total: Type.Integer(),
    activeHalfyear: Type.Integer({ description: 'who have signed in within 180 days' }),
    activeMonth: Type.Integer({ description: 'who have signed in within 30 days' }),
  },
  { $id: 'NodeInfoUsageUsers' },
);

const UsageSchema = Type.Object(
  {
    users: reference(UsersSchema),
    localPosts: Type.Integer({ description: 'issues and pull requests' }),
    localComments: Type.Integer(),
  },
  { $id: 'NodeInfoUsage' },
);

export const NodeInfoAnswer = asIs(
  Type.Object(
    {
      version: Type.String({ description: 'of the form of this record' }),
      software: reference(SoftwareSchema),
      protocols: Type.Array(Type.String()),
      services: reference(ServicesSchema),
      openRegistrations: Type.Boolean(),
      usage: reference(UsageSchema),
      metadata: Type.Object({}),
    },
    { $id: 'NodeInfo' },
  ),
);
