import { type Static, Type } from 'typebox';
import { LIMITS } from '../core/limits.ts';

const Time = Type.String({ format: 'date-time' });
const ProfileField = Type.Optional(Type.String({ maxLength: LIMITS.profileFieldCharsMax }));
const Flag = Type.Optional(Type.Boolean());

export const UserSchema = Type.Object(
  {
    id: Type.Integer(),
    login: Type.String(),
    login_name: Type.String(),
    source_id: Type.Integer(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
    html_url: Type.String(),
    language: Type.String(),
    is_admin: Type.Boolean(),
    last_login: Time,
    created: Time,
    restricted: Type.Boolean(),
    active: Type.Boolean(),
    prohibit_login: Type.Boolean(),
    location: Type.String(),
    pronouns: Type.String(),
    website: Type.String(),
    description: Type.String(),
    visibility: Type.String(),
    followers_count: Type.Integer(),
    following_count: Type.Integer(),
    starred_repos_count: Type.Integer(),
    username: Type.String(),
  },
  { $id: 'User' },
);
export type UserRecord = Static<typeof UserSchema>;

export const UsernameParams = Type.Object({ username: Type.String() });

export const CreateUserBody = Type.Object(
  {
    username: Type.String(),
    email: Type.String(),
    password: Type.Optional(Type.String()),
    full_name: ProfileField,
    visibility: Type.Optional(Type.String()),
    restricted: Flag,
    must_change_password: Flag,
    created_at: Type.Optional(Time),
  },
  { $id: 'CreateUserOption' },
);
export type CreateUser = Static<typeof CreateUserBody>;

export const EditUserBody = Type.Object(
  {
    email: Type.Optional(Type.String()),
    password: Type.Optional(Type.String()),
    full_name: ProfileField,
    website: ProfileField,
    location: ProfileField,
    description: ProfileField,
    pronouns: ProfileField,
    visibility: Type.Optional(Type.String()),
    hide_email: Flag,
    admin: Flag,
    active: Flag,
    prohibit_login: Flag,
    restricted: Flag,
    must_change_password: Flag,
  },
  { $id: 'EditUserOption' },
);
export type EditUser = Static<typeof EditUserBody>;
