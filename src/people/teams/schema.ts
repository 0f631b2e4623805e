import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';
import { OrganizationSchema } from '../organizations/schema.ts';

export const TeamSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    /** null, except in answers about one team or about teams of several organizations */
    organization: Type.Union([reference(OrganizationSchema), Type.Null()]),
    includes_all_repositories: Type.Boolean(),
    permission: Type.String(),
    units: Type.Array(Type.String()),
    units_map: Type.Record(Type.String(), Type.String()),
    can_create_org_repo: Type.Boolean(),
  },
  { $id: 'Team' },
);
export type TeamRecord = Static<typeof TeamSchema>;

const FIELDS = {
  description: Type.Optional(Type.String()),
  permission: Type.Optional(Type.String()),
  units: Type.Optional(Type.Array(Type.String())),
  units_map: Type.Optional(Type.Record(Type.String(), Type.String())),
  includes_all_repositories: Type.Optional(Type.Boolean()),
  can_create_org_repo: Type.Optional(Type.Boolean()),
};

export const CreateTeamBody = Type.Object({ name: Type.String(), ...FIELDS }, { $id: 'CreateTeamOption' });

export const EditTeamBody = Type.Object(
  { name: Type.Optional(Type.String()), ...FIELDS },
  { $id: 'EditTeamOption' },
);
export type EditTeam = Static<typeof EditTeamBody>;

export const TeamSearchSchema = Type.Object({ ok: Type.Boolean(), data: Type.Array(reference(TeamSchema)) });
